// Made from internal/api/openapi.yaml by `npm run generate`. Do not edit.

export interface paths {
    "/boot-vars": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a booting machine is told. A new MAC is registered. The worst answer is the empty script, never an error page. */
        get: operations["bootVars"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/settings/auto-register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether new machines are registered when they boot, and what decides it. */
        get: operations["getAutoRegister"];
        /** Switches it at once and for good; the setting wins over the environment. */
        put: operations["setAutoRegister"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All workers in natural order (worker-2 before worker-10), or those that are asked for. A row that cannot be read is shown as failed, with the reason. */
        get: operations["listWorkers"];
        put?: never;
        /** Registers a machine: ledger, MAC binding, reload of dnsmasq. No disk is made. */
        post: operations["createWorker"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The worker's id
                 * @example worker-01
                 */
                id: components["parameters"]["WorkerID"];
            };
            cookie?: never;
        };
        /** One worker. */
        get: operations["getWorker"];
        put?: never;
        post?: never;
        /** Removes CD, disks, ledger entry and binding. If a target cannot be removed the worker stays, with what is really left. */
        delete: operations["deleteWorker"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workers/{id}/status": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The worker's id
                 * @example worker-01
                 */
                id: components["parameters"]["WorkerID"];
            };
            cookie?: never;
        };
        /** What the files say of a worker beside what dnsmasq and the nodes really have, live sessions included. A dead node is an error on its row. */
        get: operations["workerStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workers/{id}/mac": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The worker's id
                 * @example worker-01
                 */
                id: components["parameters"]["WorkerID"];
            };
            cookie?: never;
        };
        get?: never;
        /** Binds the worker to another MAC; its host name stays. The same MAC writes nothing. */
        put: operations["setMAC"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workers/{id}/default-os": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The worker's id
                 * @example worker-01
                 */
                id: components["parameters"]["WorkerID"];
            };
            cookie?: never;
        };
        get?: never;
        /** What the worker boots. A field that is absent stays as it is, null or "" clears it; all or nothing. */
        put: operations["setBoot"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workers/{id}/luns/disk": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The worker's id
                 * @example worker-01
                 */
                id: components["parameters"]["WorkerID"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Makes a disk on a storage node and exports it: a clone of a master, an empty one, or a file that was kept. */
        post: operations["createDisk"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workers/{id}/luns/disk/{os}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The worker's id
                 * @example worker-01
                 */
                id: components["parameters"]["WorkerID"];
                /**
                 * @description The system on the disk
                 * @example ubuntu
                 */
                os: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Removes the target, and the image file only if asked. A live session is a 409 that names the initiator. */
        delete: operations["deleteDisk"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workers/{id}/luns/cd": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The worker's id
                 * @example worker-01
                 */
                id: components["parameters"]["WorkerID"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Attaches an installation CD; the worker's state becomes installing. */
        post: operations["attachCD"];
        /** Detaches the CD; the state is ready or registered by the worker's disks. The ISO stays. */
        delete: operations["detachCD"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workers/luns/disk/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** One disk for each of many workers, each on its own; a worker that has one for that system is skipped. Success sets the default system. */
        post: operations["createDisks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workers/delete/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Deletes many workers, each on its own, with one write of the ledger and one reload of dnsmasq. */
        post: operations["deleteWorkers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The storage nodes, never with their tokens; live, all enabled ones are asked at once. */
        get: operations["listAgents"];
        put?: never;
        /** Enters a storage node in the inventory. */
        post: operations["registerAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/probe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Asks a node what it is, as a proposal for its registration. Nothing is written. An empty token with a known agent_id uses the stored one. */
        post: operations["probeAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The node's id
                 * @example st1
                 */
                id: components["parameters"]["AgentID"];
            };
            cookie?: never;
        };
        get?: never;
        /** Replaces the entry: an absent field takes its default, only an empty or absent token keeps the stored one. */
        put: operations["updateAgent"];
        post?: never;
        /** Takes the node out of the inventory; 409 while a worker's disk or CD is on it. */
        delete: operations["deleteAgent"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{id}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The node's id
                 * @example st1
                 */
                id: components["parameters"]["AgentID"];
            };
            cookie?: never;
        };
        /** Who runs from this node now. */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{id}/luns": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The node's id
                 * @example st1
                 */
                id: components["parameters"]["AgentID"];
            };
            cookie?: never;
        };
        /** What the node's iSCSI server shows, foreign targets included. */
        get: operations["listTargets"];
        put?: never;
        post?: never;
        /** Removes a target directly; the ledger is not touched. */
        delete: operations["deleteTarget"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{id}/luns/disk": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The node's id
                 * @example st1
                 */
                id: components["parameters"]["AgentID"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Makes and exports a disk directly; the ledger is not touched. */
        post: operations["createTarget"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{id}/luns/cd": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The node's id
                 * @example st1
                 */
                id: components["parameters"]["AgentID"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Exports an ISO that lies on the node; the ledger is not touched. */
        post: operations["createCDTarget"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{id}/luns/scan": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The node's id
                 * @example st1
                 */
                id: components["parameters"]["AgentID"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Exports every image of the node's folder that has no target. */
        post: operations["scanTargets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/masters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The golden images of all enabled disk nodes; one failing node is an error on its row. */
        get: operations["listMasters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What takes long and how far it is, the newest first. */
        get: operations["listTasks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tasks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The task's id
                 * @example 5f0c3a9e1b7d4826
                 */
                id: string;
            };
            cookie?: never;
        };
        /** One task. */
        get: operations["getTask"];
        put?: never;
        post?: never;
        /** Cancels what of the task has not finished. What is half-made is taken away. */
        delete: operations["cancelTask"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reconcile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Compares ledger, bindings and what the nodes really export, and lists what does not agree. */
        get: operations["listFindings"];
        put?: never;
        /** Repairs the chosen findings, each on its own. No fix deletes a file. */
        post: operations["fixFindings"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The audit trail. Ids rise from 1 by one. */
        get: operations["listOperations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Server-sent events: worker, agent, task, operation, settings, ledger_fault; reset says to read everything anew. A comment every 15 s is the heartbeat. */
        get: operations["events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process lives. */
        get: operations["healthz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether it can do its work: 503 while a ledger is broken, with file, line and fault, or the audit trail cannot be written. Known machines boot all the same. */
        get: operations["readyz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/version": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Which build this is, and what the caller's token may do. */
        get: operations["version"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Prometheus metrics. */
        get: operations["metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document. */
        get: operations["openapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Error: {
            detail: string | {
                agent: string;
                /** @description the node's own words */
                error: string;
            };
            code: string;
            request_id: string;
        };
        /** @enum {string} */
        OS: "windows" | "ubuntu" | "debian" | "centos" | "esxi";
        /** @enum {string} */
        MenuItem: "windows" | "ubuntu" | "debian" | "centos" | "esxi" | "menu-diag" | "menu-install" | "config" | "shell" | "reboot" | "exit";
        /** @enum {string} */
        WorkerState: "registered" | "ready" | "installing" | "failed";
        MAC: string;
        BootVars: {
            hostname?: string;
            base_iqn?: string;
            iscsi_server?: string;
            /** @enum {string} */
            iscsi_sep?: ":::1:" | "::::";
            menu_default?: components["schemas"]["MenuItem"];
            /** @description ms */
            menu_timeout?: number;
        };
        AutoRegister: {
            enabled: boolean;
            /** @enum {string} */
            source: "env" | "settings";
        };
        Worker: {
            worker_id: string;
            hostname: string;
            /** @description null when unbound */
            mac: components["schemas"]["MAC"] | null;
            arch: string;
            state: components["schemas"]["WorkerState"];
            disks: components["schemas"]["Disk"][];
            cd: components["schemas"]["CD"] | null;
            default_os?: components["schemas"]["OS"];
            boot?: components["schemas"]["Boot"];
            /** @description why the state is failed, or the row unreadable */
            error?: string;
            /** Format: date-time */
            created_at?: string;
            /** Format: date-time */
            last_boot_at?: string;
        };
        ChangedWorker: {
            worker_id: string;
            hostname: string;
            /** @description null when unbound */
            mac: components["schemas"]["MAC"] | null;
            arch: string;
            state: components["schemas"]["WorkerState"];
            disks: components["schemas"]["Disk"][];
            cd: components["schemas"]["CD"] | null;
            default_os?: components["schemas"]["OS"];
            boot?: components["schemas"]["Boot"];
            /** @description why the state is failed, or the row unreadable */
            error?: string;
            /** Format: date-time */
            created_at?: string;
            /** Format: date-time */
            last_boot_at?: string;
            /** @description whether anything was written */
            changed?: boolean;
            /** @description absent when there was nothing to reload; false is retried */
            dnsmasq_reloaded?: boolean;
        };
        Boot: {
            menu_default?: components["schemas"]["MenuItem"];
            /** @description ms, 0 waits for ever */
            menu_timeout?: number;
        };
        Disk: {
            agent: string;
            iqn: string;
            filename: string;
            backing: string;
            os: components["schemas"]["OS"];
            source: {
                /** @enum {string} */
                type: "master" | "empty" | "existing";
                name?: string;
                size?: string;
            };
        };
        CD: {
            agent: string;
            iqn: string;
            iso: string;
            backing: string;
        };
        CreateWorker: {
            worker_id: string;
            mac: string;
            /** @description one DNS label; default: the worker id */
            hostname?: string;
            /** @description default: IPXE_CP_DEFAULT_ARCH */
            arch?: string;
            /** @description a CD target is made first */
            windows_iso?: string;
            boot?: components["schemas"]["Boot"];
        };
        SetBoot: {
            os?: string | null;
            menu_default?: string | null;
            /** @description ms */
            menu_timeout?: number | null;
        };
        CreateDisk: {
            os: string;
            /** @enum {string} */
            type: "master" | "empty" | "existing";
            /** @description of the master */
            name?: string;
            /** @description of an empty disk, as 20G */
            size?: string;
            /** @description default: the healthy enabled node with the fewest disks */
            disk_agent?: string;
        };
        AttachCD: {
            iso: string;
            cd_agent?: string;
        };
        WorkerDeleted: {
            deleted: string;
            delete_disk: boolean;
            dnsmasq_removed: boolean;
            dnsmasq_reloaded?: boolean;
        };
        WorkerStatus: {
            worker: components["schemas"]["Worker"];
            actual: {
                dnsmasq: {
                    hostname: string;
                    mac: components["schemas"]["MAC"] | null;
                };
                disks: components["schemas"]["DiskStatus"][];
                cd: components["schemas"]["LUNStatus"] | null;
            };
        };
        LUNStatus: {
            agent: string;
            iqn: string;
            exists: boolean;
            target: components["schemas"]["Target"] | null;
            /** @description nobody can tell whether it stands */
            error?: string;
            /** @description absent where the node does not tell */
            sessions?: components["schemas"]["Session"][];
        };
        DiskStatus: {
            agent: string;
            iqn: string;
            exists: boolean;
            target: components["schemas"]["Target"] | null;
            /** @description nobody can tell whether it stands */
            error?: string;
            /** @description absent where the node does not tell */
            sessions?: components["schemas"]["Session"][];
            os: components["schemas"]["OS"];
        };
        CreateDisks: {
            /** @enum {string} */
            type: "master" | "empty" | "existing";
            os: string;
            name?: string;
            size?: string;
            targets: {
                worker_id: string;
                agent: string;
            }[];
        };
        DisksCreated: {
            succeeded: {
                worker_id: string;
                agent: string;
                iqn: string;
            }[];
            skipped: {
                worker_id: string;
                reason: string;
            }[];
            failed: {
                worker_id: string;
                agent: string;
                error: string;
            }[];
        };
        DeleteWorkers: {
            worker_ids: string[];
            delete_disk?: boolean;
            ignore_missing_target?: boolean;
        };
        WorkersDeleted: {
            succeeded: {
                worker_id: string;
                hostname: string;
            }[];
            failed: {
                worker_id: string;
                error: string;
            }[];
            dnsmasq_reloaded?: boolean;
        };
        Role: {
            disk: boolean;
            cd: boolean;
        };
        Agent: {
            id: string;
            base_url: string;
            iscsi_server: string;
            role: components["schemas"]["Role"];
            enabled: boolean;
            tags: string[];
            /** @enum {string} */
            health?: "ok" | "unreachable" | "unauthorized" | "disabled";
            capabilities?: components["schemas"]["Capabilities"];
            error?: string;
        };
        Capabilities: {
            backend: string;
            fs_type: string;
            cd: boolean;
            persistent: boolean;
            base_iqn: string;
            clone: string;
            empty_disk: string;
            version?: string;
            free_bytes?: number;
            total_bytes?: number;
            targets?: number;
        };
        RegisterAgent: {
            id: string;
            /** @description http(s)://host[:port][/path] */
            base_url: string;
            /** @description never comes back */
            token?: string;
            /** @description default: the host of base_url */
            iscsi_server?: string;
            role?: {
                disk?: boolean;
                cd?: boolean;
            } | null;
            tags?: string[] | null;
            /** @default true */
            enabled: boolean | null;
        };
        UpdateAgent: {
            /** @description http(s)://host[:port][/path] */
            base_url: string;
            /** @description never comes back */
            token?: string;
            /** @description default: the host of base_url */
            iscsi_server?: string;
            role?: {
                disk?: boolean;
                cd?: boolean;
            } | null;
            tags?: string[] | null;
            /** @default true */
            enabled: boolean | null;
        };
        ProbeAgent: {
            base_url: string;
            token?: string;
            agent_id?: string;
        };
        Probe: {
            base_url: string;
            role: components["schemas"]["Role"];
            tags: string[];
            iscsi_server: string;
            enabled: boolean;
            backend: string;
            fs_type: string;
            base_iqn: string;
            clone: string;
            empty_disk: string;
            persistent: boolean;
        };
        Session: {
            initiator: string;
            address: string | null;
        };
        AgentSession: {
            iqn: string;
            /** @description absent where no worker has that target */
            worker_id?: string;
            /** @description absent for a CD */
            os?: string;
            initiator: string;
            address: string | null;
        };
        Target: {
            /** @description stgt only */
            tid?: number;
            iqn: string;
            luns: {
                lun: number;
                backing: string | null;
                type?: string;
                /** @description bytes */
                size?: number;
            }[];
            /** @description absent where the node does not tell */
            sessions?: components["schemas"]["Session"][];
        };
        DirectDisk: {
            iqn: string;
            filename?: string;
            master?: string;
            size?: string;
        };
        LUNCreated: {
            iqn: string;
            backing: string;
            /** @enum {string} */
            clone?: "reflink" | "copy";
            bytes?: number;
        };
        TargetDeleted: {
            deleted: string;
            delete_file: boolean;
            /** @constant */
            ignored_missing?: true;
        };
        Scan: {
            created: {
                iqn: string;
                cd: boolean;
            }[];
            skipped: string[];
            failed?: {
                name: string;
                error: string;
            }[];
        };
        Masters: {
            agents: {
                agent: string;
                iscsi_server: string;
                masters: {
                    name: string;
                    size: number;
                    /** Format: date-time */
                    mtime: string;
                }[];
                error?: string;
            }[];
        };
        /** @enum {string} */
        TaskState: "queued" | "running" | "succeeded" | "failed" | "cancelled" | "interrupted";
        Task: {
            id: string;
            kind: string;
            state: components["schemas"]["TaskState"];
            items: {
                worker_id: string;
                /** @description empty until a node is chosen */
                agent: string;
                state: components["schemas"]["TaskState"];
                bytes_done: number;
                /** @description 0 while it is not known */
                bytes_total: number;
                /** @description why there was nothing to do */
                reason?: string;
                error?: string;
            }[];
            /** Format: date-time */
            started_at: string;
            /** Format: date-time */
            ended_at?: string;
        };
        Reconcile: {
            findings: components["schemas"]["Finding"][];
        };
        Finding: {
            /** @description names the thing and is the same as long as it is */
            id: string;
            /** @enum {string} */
            kind: "missing_target" | "missing_backing" | "wrong_backing" | "shared_target" | "orphan_target" | "foreign_target" | "unbound_worker" | "shared_hostname" | "bad_binding_line" | "orphan_binding" | "unknown_agent" | "agent_unreachable" | "broken_row" | "two_initiators" | "refused_initiator";
            worker_id?: string;
            agent?: string;
            detail: string;
            /**
             * @description absent where a person has to decide
             * @enum {string}
             */
            fix?: "export_again" | "adopt_disk" | "remove_target" | "remove_binding";
        };
        FixFindings: {
            fix: string[];
        };
        FindingsFixed: {
            fixed: string[];
            failed: {
                id: string;
                error: string;
            }[];
        };
        Operations: {
            /** @description pass it as since */
            next_cursor: number;
            entries: ({
                id: number;
                /** Format: date-time */
                ts: string;
                op: string;
                /** @enum {string} */
                status: "started" | "succeeded" | "failed" | "interrupted" | "ok";
                worker_id?: string;
                agent?: string;
                client?: string;
                /** @description the id of the start */
                ref?: number;
                error?: string;
            } & {
                [key: string]: unknown;
            })[];
        };
        Ready: {
            /** @enum {string} */
            status: "ready" | "not_ready";
            faults?: {
                file: string;
                line?: number;
                error: string;
            }[];
            notes?: string[];
        };
        Version: {
            version: string;
            commit: string;
            go: string;
            /**
             * @description view: the token may only read; an open control plane says full
             * @enum {string}
             */
            access: "full" | "view";
        };
    };
    responses: {
        /** @description The task that does it. */
        TaskStarted: {
            headers: {
                Location?: string;
                "Preference-Applied"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    task_id: string;
                };
            };
        };
        /** @description Bad input. */
        Invalid: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description No token or a wrong one. */
        Unauthorized: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The view token may only read. */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Not there. */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Taken, in use or in progress. */
        Conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is over 4 MiB. */
        TooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A fault of ours, or the node's iSCSI server failed. */
        Internal: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A node refused or could not be understood. */
        Upstream: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A node, its iSCSI server or a ledger is out. */
        Unavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The disk is full. */
        NoSpace: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Too many wrong tokens came from this address; none is looked at before Retry-After. */
        TooMany: {
            headers: {
                /** @description s */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Whatever else a node answered, with its status. */
        Told: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    detail: {
                        agent: string;
                        /** @description the node's own words */
                        error: string;
                    };
                    code: string;
                    request_id: string;
                };
            };
        };
    };
    parameters: {
        /**
         * @description The worker's id
         * @example worker-01
         */
        WorkerID: string;
        /**
         * @description The node's id
         * @example st1
         */
        AgentID: string;
        /** @description A target that is not there, or whose node left the inventory, is no error */
        IgnoreMissingTarget: boolean;
        /** @description Even under a live session */
        Force: boolean;
        /** @description respond-async: a task is started and named at once */
        Prefer: string;
        /** @description The same key and body within an hour give the first answer again */
        IdempotencyKey: string;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    bootVars: {
        parameters: {
            query?: {
                /**
                 * @description The address of the interface that boots
                 * @example 52:54:00:12:34:56
                 */
                mac?: string;
                /** @description Names the machine only where no binding does */
                hostname?: string;
                /** @description The script or JSON */
                format?: "ipxe" | "json";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The script, or the JSON asked for; without a worker the empty script or {}. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                    "application/json": components["schemas"]["BootVars"];
                };
            };
            400: components["responses"]["Invalid"];
        };
    };
    getAutoRegister: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The setting. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutoRegister"];
                };
            };
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooMany"];
        };
    };
    setAutoRegister: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "enabled": false
                 *     }
                 */
                "application/json": {
                    enabled: boolean;
                };
            };
        };
        responses: {
            /** @description The setting. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutoRegister"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["NoSpace"];
        };
    };
    listWorkers: {
        parameters: {
            query?: {
                /**
                 * @description Part of id, host name or MAC; a whole MAC in any spelling
                 * @example worker-0
                 */
                q?: string;
                /** @description The state */
                state?: components["schemas"]["WorkerState"];
                /** @description Has a disk for this system */
                os?: components["schemas"]["OS"];
                /** @description Has a disk or CD on this node */
                agent?: string;
                /** @description Has a MAC, or has none */
                bound?: boolean;
                /** @description Rows of one page; without it all */
                limit?: number;
                /** @description What X-Next-Cursor of the page before said */
                cursor?: string;
            };
            header?: {
                /** @description The ETag that is held */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The workers. ETag names the edition; X-Next-Cursor is there when a page follows. */
            200: {
                headers: {
                    ETag?: string;
                    "X-Next-Cursor"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Worker"][];
                };
            };
            /** @description Nothing has changed since that ETag. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooMany"];
        };
    };
    createWorker: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within an hour give the first answer again */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "worker_id": "worker-01",
                 *       "mac": "52:54:00:12:34:56"
                 *     }
                 */
                "application/json": components["schemas"]["CreateWorker"];
            };
        };
        responses: {
            /** @description The worker. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedWorker"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            502: components["responses"]["Upstream"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["NoSpace"];
            default: components["responses"]["Told"];
        };
    };
    getWorker: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The worker's id
                 * @example worker-01
                 */
                id: components["parameters"]["WorkerID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The worker. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Worker"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
        };
    };
    deleteWorker: {
        parameters: {
            query?: {
                /** @description The image files go too */
                delete_disk?: boolean;
                /** @description A target that is not there, or whose node left the inventory, is no error */
                ignore_missing_target?: components["parameters"]["IgnoreMissingTarget"];
                /** @description Even under a live session */
                force?: components["parameters"]["Force"];
            };
            header?: never;
            path: {
                /**
                 * @description The worker's id
                 * @example worker-01
                 */
                id: components["parameters"]["WorkerID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was removed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkerDeleted"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            502: components["responses"]["Upstream"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["NoSpace"];
            default: components["responses"]["Told"];
        };
    };
    workerStatus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The worker's id
                 * @example worker-01
                 */
                id: components["parameters"]["WorkerID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The worker and what was found. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkerStatus"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
        };
    };
    setMAC: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The worker's id
                 * @example worker-01
                 */
                id: components["parameters"]["WorkerID"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "mac": "52:54:00:12:34:57"
                 *     }
                 */
                "application/json": {
                    mac: string;
                };
            };
        };
        responses: {
            /** @description The worker and whether anything changed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedWorker"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            502: components["responses"]["Upstream"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["NoSpace"];
            default: components["responses"]["Told"];
        };
    };
    setBoot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The worker's id
                 * @example worker-01
                 */
                id: components["parameters"]["WorkerID"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "os": "ubuntu",
                 *       "menu_timeout": 3000
                 *     }
                 */
                "application/json": components["schemas"]["SetBoot"];
            };
        };
        responses: {
            /** @description The worker. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Worker"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            502: components["responses"]["Upstream"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["NoSpace"];
            default: components["responses"]["Told"];
        };
    };
    createDisk: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: a task is started and named at once */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The same key and body within an hour give the first answer again */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The worker's id
                 * @example worker-01
                 */
                id: components["parameters"]["WorkerID"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "os": "ubuntu",
                 *       "type": "master",
                 *       "name": "ubuntu_tpl_24.04.img"
                 *     }
                 */
                "application/json": components["schemas"]["CreateDisk"];
            };
        };
        responses: {
            /** @description The worker with its disk. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Worker"];
                };
            };
            202: components["responses"]["TaskStarted"];
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            502: components["responses"]["Upstream"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["NoSpace"];
            default: components["responses"]["Told"];
        };
    };
    deleteDisk: {
        parameters: {
            query?: {
                /** @description The image file goes too */
                delete_file?: boolean;
                /** @description A target that is not there, or whose node left the inventory, is no error */
                ignore_missing_target?: components["parameters"]["IgnoreMissingTarget"];
                /** @description Even under a live session */
                force?: components["parameters"]["Force"];
            };
            header?: never;
            path: {
                /**
                 * @description The worker's id
                 * @example worker-01
                 */
                id: components["parameters"]["WorkerID"];
                /**
                 * @description The system on the disk
                 * @example ubuntu
                 */
                os: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The worker without that disk. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Worker"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            502: components["responses"]["Upstream"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["NoSpace"];
            default: components["responses"]["Told"];
        };
    };
    attachCD: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within an hour give the first answer again */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The worker's id
                 * @example worker-01
                 */
                id: components["parameters"]["WorkerID"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "iso": "win11_24h2.iso"
                 *     }
                 */
                "application/json": components["schemas"]["AttachCD"];
            };
        };
        responses: {
            /** @description The worker with its CD. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Worker"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            502: components["responses"]["Upstream"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["NoSpace"];
            default: components["responses"]["Told"];
        };
    };
    detachCD: {
        parameters: {
            query?: {
                /** @description A target that is not there, or whose node left the inventory, is no error */
                ignore_missing_target?: components["parameters"]["IgnoreMissingTarget"];
                /** @description Even under a live session */
                force?: components["parameters"]["Force"];
            };
            header?: never;
            path: {
                /**
                 * @description The worker's id
                 * @example worker-01
                 */
                id: components["parameters"]["WorkerID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The worker without a CD. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Worker"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            502: components["responses"]["Upstream"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["NoSpace"];
            default: components["responses"]["Told"];
        };
    };
    createDisks: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: a task is started and named at once */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The same key and body within an hour give the first answer again */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "master",
                 *       "os": "ubuntu",
                 *       "name": "ubuntu_tpl_24.04.img",
                 *       "targets": [
                 *         {
                 *           "worker_id": "worker-01",
                 *           "agent": "st1"
                 *         },
                 *         {
                 *           "worker_id": "worker-02",
                 *           "agent": "st1"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateDisks"];
            };
        };
        responses: {
            /** @description How each went, in the order asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DisksCreated"];
                };
            };
            202: components["responses"]["TaskStarted"];
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            502: components["responses"]["Upstream"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["NoSpace"];
            default: components["responses"]["Told"];
        };
    };
    deleteWorkers: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: a task is started and named at once */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The same key and body within an hour give the first answer again */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "worker_ids": [
                 *         "worker-01",
                 *         "worker-02"
                 *       ],
                 *       "delete_disk": true
                 *     }
                 */
                "application/json": components["schemas"]["DeleteWorkers"];
            };
        };
        responses: {
            /** @description How each went, in the order asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkersDeleted"];
                };
            };
            202: components["responses"]["TaskStarted"];
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            502: components["responses"]["Upstream"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["NoSpace"];
            default: components["responses"]["Told"];
        };
    };
    listAgents: {
        parameters: {
            query?: {
                /** @description Ask the nodes how they are */
                live?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The nodes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"][];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooMany"];
        };
    };
    registerAgent: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within an hour give the first answer again */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "st1",
                 *       "base_url": "http://192.168.80.3:4840",
                 *       "token": "the-node-s-token",
                 *       "role": {
                 *         "disk": true,
                 *         "cd": true
                 *       },
                 *       "tags": [
                 *         "storage",
                 *         "stgt"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["RegisterAgent"];
            };
        };
        responses: {
            /** @description The node. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            502: components["responses"]["Upstream"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["NoSpace"];
            default: components["responses"]["Told"];
        };
    };
    probeAgent: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within an hour give the first answer again */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "base_url": "http://192.168.80.3:4840",
                 *       "token": "the-node-s-token"
                 *     }
                 */
                "application/json": components["schemas"]["ProbeAgent"];
            };
        };
        responses: {
            /** @description The proposal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Probe"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            502: components["responses"]["Upstream"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["NoSpace"];
            default: components["responses"]["Told"];
        };
    };
    updateAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The node's id
                 * @example st1
                 */
                id: components["parameters"]["AgentID"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "base_url": "http://192.168.80.4:4840",
                 *       "role": {
                 *         "disk": true,
                 *         "cd": true
                 *       },
                 *       "enabled": true
                 *     }
                 */
                "application/json": components["schemas"]["UpdateAgent"];
            };
        };
        responses: {
            /** @description The node. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            502: components["responses"]["Upstream"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["NoSpace"];
            default: components["responses"]["Told"];
        };
    };
    deleteAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The node's id
                 * @example st1
                 */
                id: components["parameters"]["AgentID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Which. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deleted: string;
                    };
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            502: components["responses"]["Upstream"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["NoSpace"];
            default: components["responses"]["Told"];
        };
    };
    listSessions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The node's id
                 * @example st1
                 */
                id: components["parameters"]["AgentID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sessions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentSession"][];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            502: components["responses"]["Upstream"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["NoSpace"];
            default: components["responses"]["Told"];
        };
    };
    listTargets: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The node's id
                 * @example st1
                 */
                id: components["parameters"]["AgentID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The targets. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Target"][];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            502: components["responses"]["Upstream"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["NoSpace"];
            default: components["responses"]["Told"];
        };
    };
    deleteTarget: {
        parameters: {
            query: {
                /**
                 * @description The target
                 * @example iqn.2026-07.com.controller:worker-01.ubuntu
                 */
                iqn: string;
                /** @description The image file goes too */
                delete_file?: boolean;
                /** @description A target that is not there is no error */
                ignore_missing?: boolean;
                /** @description Even under a live session */
                force?: components["parameters"]["Force"];
            };
            header?: never;
            path: {
                /**
                 * @description The node's id
                 * @example st1
                 */
                id: components["parameters"]["AgentID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was removed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TargetDeleted"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            502: components["responses"]["Upstream"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["NoSpace"];
            default: components["responses"]["Told"];
        };
    };
    createTarget: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within an hour give the first answer again */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The node's id
                 * @example st1
                 */
                id: components["parameters"]["AgentID"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "iqn": "iqn.2026-07.com.controller:spare",
                 *       "size": "20G"
                 *     }
                 */
                "application/json": components["schemas"]["DirectDisk"];
            };
        };
        responses: {
            /** @description The target. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LUNCreated"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            502: components["responses"]["Upstream"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["NoSpace"];
            default: components["responses"]["Told"];
        };
    };
    createCDTarget: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within an hour give the first answer again */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The node's id
                 * @example st1
                 */
                id: components["parameters"]["AgentID"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "iso": "win11_24h2.iso"
                 *     }
                 */
                "application/json": {
                    iso: string;
                    iqn?: string;
                };
            };
        };
        responses: {
            /** @description The target. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LUNCreated"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            502: components["responses"]["Upstream"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["NoSpace"];
            default: components["responses"]["Told"];
        };
    };
    scanTargets: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within an hour give the first answer again */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The node's id
                 * @example st1
                 */
                id: components["parameters"]["AgentID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was exported and what stood. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Scan"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            502: components["responses"]["Upstream"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["NoSpace"];
            default: components["responses"]["Told"];
        };
    };
    listMasters: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The images by node. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Masters"];
                };
            };
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooMany"];
            502: components["responses"]["Upstream"];
        };
    };
    listTasks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tasks. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"][];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooMany"];
        };
    };
    getTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The task's id
                 * @example 5f0c3a9e1b7d4826
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The task. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooMany"];
        };
    };
    cancelTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The task's id
                 * @example 5f0c3a9e1b7d4826
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The task. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            502: components["responses"]["Upstream"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["NoSpace"];
            default: components["responses"]["Told"];
        };
    };
    listFindings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The findings; none is an empty list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reconcile"];
                };
            };
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooMany"];
        };
    };
    fixFindings: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within an hour give the first answer again */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "fix": [
                 *         "missing_target:worker-01:ubuntu"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["FixFindings"];
            };
        };
        responses: {
            /** @description How each went, in the order asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FindingsFixed"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            502: components["responses"]["Upstream"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["NoSpace"];
            default: components["responses"]["Told"];
        };
    };
    listOperations: {
        parameters: {
            query?: {
                /** @description Entries after this id */
                since?: number;
                /** @description Entries of one page */
                limit?: number;
                /**
                 * @description The newest so many
                 * @example 20
                 */
                tail?: number;
                /** @description The newest below this id */
                before?: number;
                /** @description Only this operation */
                op?: string;
                /** @description Only this status */
                status?: string;
                /** @description Only this worker */
                worker_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operations"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    events: {
        parameters: {
            query?: never;
            header?: {
                /** @description Resume after this event */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream: id: <start>-<n>, event: <kind>, data: {action, id, object?}. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooMany"];
        };
    };
    healthz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It does. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "ok";
                    };
                };
            };
        };
    };
    readyz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ready. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ready"];
                };
            };
            /** @description A file is broken. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ready"];
                };
            };
        };
    };
    version: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The build. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Version"];
                };
            };
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooMany"];
        };
    };
    metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The text format. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooMany"];
        };
    };
    openapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OpenAPI 3.1. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, unknown>;
                };
            };
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooMany"];
        };
    };
}
