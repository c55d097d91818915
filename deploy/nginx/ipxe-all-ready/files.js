// The file server's paths: listings and the way to a download.
//
// Written for njs 0.7.9, Debian 12's: no for-of, no destructuring, no default
// parameters. Newer ones run it, too.
//
// r.uri is decoded once and free of "..": it is never decoded again.
import fs from 'fs';

const BROWSE = '/api/browse';
const KEPT = 10000; // ms that a listing of an unchanged folder is kept

function inside(root, path) {
    return path === root || path.startsWith(root === '/' ? root : root + '/');
}

// withFolder opens the folder rel below root and calls f with a path to that
// very folder, and with its real path. It throws when there is no such folder
// inside root. What is opened stays the same, whatever is renamed meanwhile. The
// last "/." lets nothing else be opened: a named pipe would block the worker.
function withFolder(root, rel, f) {
    const real = fs.realpathSync(root);
    const fd = fs.openSync(real + rel + '/.', 'r');
    try {
        const path = '/proc/self/fd/' + fd;
        if (!inside(real, fs.realpathSync(path))) {
            throw Error('outside of ' + root);
        }
        return f(path, real);
    } finally {
        fs.closeSync(fd);
    }
}

// below is the path under a prefix, without slashes at its end.
function below(r, prefix) {
    return r.uri.slice(prefix.length).replace(/\/+$/, '');
}

// ISO 8601, UTC, such as 2026-07-01T12:00:00.000Z.
function time(s) {
    const t = s.mtime;
    return isNaN(t.getTime()) ? '1970-01-01T00:00:00.000Z' : t.toISOString();
}

function row(name, s) {
    const folder = s.isDirectory();
    return { name: name, type: folder ? 'directory' : 'file', size: folder ? 0 : s.size, mtime: time(s) };
}

// entry is one row, or null for what is not shown: hidden files, devices, links
// that lead nowhere or out of root, and names that are not UTF-8.
function entry(d, folder, root) {
    if (d.name[0] === '.') {
        return null;
    }
    const path = folder + '/' + d.name;
    try {
        if (d.isSymbolicLink() && !inside(root, fs.realpathSync(path))) {
            return null;
        }
        const s = fs.statSync(path);
        return s.isFile() || s.isDirectory() ? row(d.name, s) : null;
    } catch (e) {
        return null; // gone meanwhile, or not to be found by this name
    }
}

function order(a, b) {
    if (a.type !== b.type) {
        return a.type === 'directory' ? -1 : 1;
    }
    return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

function rows(folder, root) {
    const found = fs.readdirSync(folder, { withFileTypes: true });
    const out = [];
    for (let i = 0; i < found.length; i++) {
        const one = entry(found[i], folder, root);
        if (one !== null) {
            out.push(one);
        }
    }
    return out.sort(order);
}

function list(r) {
    const rel = below(r, BROWSE);
    let out;
    r.headersOut['Content-Type'] = 'application/json';
    try {
        out = withFolder(r.variables.ipxe_public, rel, function (folder, root) {
            const up = rel === '' ? [] : [row('..', fs.statSync(folder + '/..'))];
            return up.concat(rows(folder, root));
        });
    } catch (e) {
        r.log('list ' + rel + ': ' + e.message);
        r.return(404, '{"error":"directory not found"}\n');
        return;
    }
    r.return(200, JSON.stringify(out) + '\n');
}

// edition is the part of a listing's key that changes with the folder, and every
// few seconds for what changes inside the files. There is none for no folder.
function edition(r) {
    try {
        return withFolder(r.variables.ipxe_public, below(r, BROWSE), function (folder) {
            return fs.statSync(folder + '/.').mtimeMs + '.' + Math.floor(Date.now() / KEPT);
        });
    } catch (e) {
        return '-';
    }
}

// download hands a file over to the internal location of its server, /_file/ or
// /_tftp/.
function download(r) {
    if (r.method !== 'GET' && r.method !== 'HEAD') {
        r.headersOut['Allow'] = 'GET, HEAD';
        r.return(405);
        return;
    }
    const prefix = r.uri.slice(0, r.uri.indexOf('/', 1)); // /file or /tftp
    let to;
    try {
        const root = fs.realpathSync(r.variables.ipxe_root);
        const real = fs.realpathSync(root + r.uri.slice(prefix.length));
        if (real === root || !inside(root, real) || !fs.statSync(real).isFile()) {
            throw Error('no file inside ' + root);
        }
        // nginx decodes it again.
        to = '/_' + prefix.slice(1) + real.slice(root.length).split('/').map(encodeURIComponent).join('/');
    } catch (e) {
        r.log('download ' + r.uri + ': ' + e.message);
        r.return(404);
        return;
    }
    r.internalRedirect(to);
}

export default { list, edition, download };
