// Package metrics owns what Prometheus may ask the control plane: names, labels
// and buckets. It keeps a registry of its own and knows no HTTP route and no
// ledger; the composition root hands its methods to those who have news.
package metrics
