// Package ledger owns the files that are the truth: workers.yml, agents.yml,
// settings.json, boots.json and, through dhcphosts, dhcp-hosts.conf. Readers
// get an immutable Snapshot without a lock; one committer applies all waiting
// changes together, writes each touched file once and answers. It watches the
// files for hand edits and never overwrites one that it could not read. The
// rules that span workers, agents and bindings are provision's.
package ledger
