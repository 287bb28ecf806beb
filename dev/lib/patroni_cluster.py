# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""A PostgreSQL cluster of three nodes under Patroni, with etcd and HAProxy, on this machine and in a temporary directory.

dev/lib/failover.py measures Apus on it; docs/postgres-ha.md shows the same settings. The programs come from Debian's packages. Root
starts the database as the user postgres, since PostgreSQL refuses root.
"""

import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

from stage import until

NODES = ("a", "b", "c")

PATRONI = """
scope: apus
name: {name}
restapi: {{ listen: "127.0.0.1:{api}", connect_address: "127.0.0.1:{api}" }}
etcd3: {{ host: "127.0.0.1:{etcd}" }}
bootstrap:
  dcs:
    ttl: 20
    loop_wait: 5
    retry_timeout: 5
    maximum_lag_on_failover: 1048576
    synchronous_mode: {synchronous}
    postgresql:
      use_pg_rewind: true
      use_slots: true
      parameters: {{ max_connections: 100, shared_buffers: 64MB, wal_keep_size: 256MB }}
  initdb: [ {{ encoding: UTF8 }}, {{ locale: C }} ]
postgresql:
  listen: "127.0.0.1:{port}"
  connect_address: "127.0.0.1:{port}"
  bin_dir: {programs}
  data_dir: {directory}/data-{name}
  pgpass: {directory}/pgpass-{name}
  authentication:
    superuser: {{ username: postgres, password: test }}
    replication: {{ username: replicator, password: test }}
    rewind: {{ username: rewinder, password: test }}
  parameters: {{ unix_socket_directories: "{directory}" }}
  pg_hba:
    - local all all trust
    - host all all 127.0.0.1/32 trust
    - host replication all 127.0.0.1/32 trust
"""

HAPROXY = """
global
    maxconn 1000
defaults
    mode tcp
    timeout connect 2s
    retries 0
    timeout client 1h
    timeout server 1h
listen primary
    bind 127.0.0.1:{port}
    option httpchk OPTIONS /primary
    option clitcpka
    clitcpka-idle 10s
    clitcpka-intvl 5s
    clitcpka-cnt 3
    http-check expect status 200
    default-server inter 500ms fastinter 200ms fall 2 rise 1 on-marked-down shutdown-sessions
"""


def free_ports(count):
    """Ports that nobody listens on at the moment."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


class Cluster:
    """The cluster; a context manager that ends it. `url` leads through HAProxy, `hosts_url` names the three nodes."""

    def __init__(self, programs, synchronous=True):
        self.programs, self.synchronous = programs, synchronous
        self.processes = {}

    def __enter__(self):
        self.directory = tempfile.mkdtemp(prefix="apus-patroni-", dir="/tmp")
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            os.chown(self.directory, owner.pw_uid, owner.pw_gid)
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in NODES:
            self.kill(name)
        for process in self.processes.values():
            process.kill()
            process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.directory, name)

    def _start(self):
        ports = free_ports(9)
        self.etcd, peer, self.proxy = ports[:3]
        self.apis, self.ports = dict(zip(NODES, ports[3:6])), dict(zip(NODES, ports[6:]))
        client = f"http://127.0.0.1:{self.etcd}"
        self._run("etcd", ["etcd", "--data-dir", self.path("etcd"), "--name", "default",
                           "--listen-client-urls", client, "--advertise-client-urls", client,
                           "--listen-peer-urls", f"http://127.0.0.1:{peer}",
                           "--initial-advertise-peer-urls", f"http://127.0.0.1:{peer}",
                           "--initial-cluster", f"default=http://127.0.0.1:{peer}"])
        until(lambda: self._answers(f"{client}/health"), "etcd answers")
        for name in NODES:
            self.start(name)
            # The first one makes the database, the others copy it.
            until(lambda: self._answers(f"http://127.0.0.1:{self.apis[name]}/health"), f"node {name} runs\n{self.logs}", 180)
        with open(self.path("haproxy.cfg"), "w") as file:
            file.write(HAPROXY.format(port=self.proxy))
            for name in NODES:
                file.write(f"    server {name} 127.0.0.1:{self.ports[name]} check port {self.apis[name]}\n")
        self._run("haproxy", [shutil.which("haproxy") or "/usr/sbin/haproxy", "-db", "-f", self.path("haproxy.cfg")])
        self.wait()
        self.sql("CREATE TABLE probes (at timestamptz)")

    def _run(self, name, command):
        log = open(self.path(f"{name}.log"), "ab")
        user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] if os.geteuid() == 0 else []
        environment = dict(os.environ, ETCD_UNSUPPORTED_ARCH=os.uname().machine, HOME=self.directory)
        self.processes[name] = subprocess.Popen(
            user + command, cwd=self.directory, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment
        )
        log.close()

    def start(self, name):
        """Starts a node, new or killed before."""
        with open(self.path(f"{name}.yml"), "w") as file:
            file.write(PATRONI.format(
                name=name, api=self.apis[name], port=self.ports[name], etcd=self.etcd, programs=self.programs,
                directory=self.directory, synchronous="true" if self.synchronous else "false",
            ))
        os.chmod(self.path(f"{name}.yml"), 0o644)
        self._run(name, ["patroni", self.path(f"{name}.yml")])

    @property
    def logs(self):
        """The last lines of every log."""
        lines = []
        for name in self.processes:
            with open(self.path(f"{name}.log"), errors="replace") as file:
                lines += [f"{name}: {line.rstrip()}" for line in file.readlines()[-8:]]
        return "\n".join(lines)

    @staticmethod
    def _answers(url):
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                return answer.read() or b"{}"
        except (OSError, urllib.error.URLError):
            return None

    # What it does

    @property
    def url(self):
        return f"postgres://postgres@127.0.0.1:{self.proxy}/postgres"

    @property
    def hosts_url(self):
        hosts = ",".join(f"127.0.0.1:{port}" for port in self.ports.values())
        return f"postgres://postgres@{hosts}/postgres?target_session_attrs=read-write"

    def sql(self, statement, seconds=10):
        """Runs a statement on the node that takes writes, by a connection of its own; says whether it was done."""
        command = [os.path.join(self.programs, "psql"), "-XAtqc", statement, self.hosts_url + "&connect_timeout=2"]
        try:
            return subprocess.run(command, capture_output=True, timeout=seconds).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def members(self):
        for api in self.apis.values():
            answer = self._answers(f"http://127.0.0.1:{api}/cluster")
            if answer:
                return json.loads(answer)["members"]
        return []

    def leader(self):
        return next((member["name"] for member in self.members() if member["role"] == "leader"), None)

    def wait(self):
        """Waits until all nodes follow the leader, and one of them synchronously if that is asked for."""

        def is_complete():
            members = self.members()
            followers = [member for member in members if member["role"] != "leader"]
            return (
                len(followers) == len(NODES) - 1 < len(members)
                and all(member["state"] in ("running", "streaming") and member.get("lag") == 0 for member in followers)
                and (not self.synchronous or any(member["role"] == "sync_standby" for member in followers))
                and self.sql("SELECT 1")
            )

        until(is_complete, "all nodes follow the leader", 180)

    def switch_over(self):
        """Moves the primary to another node, as before maintenance; returns when Patroni has done it."""
        leader = self.leader()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.apis[leader]}/switchover", json.dumps({"leader": leader}).encode(), method="POST"
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.read()

    def kill(self, name):
        """Ends a node as a crash of its machine does: its Patroni first, then all processes of its server."""
        process = self.processes.pop(name, None)
        if process:
            process.kill()
            process.wait()
        self._signal(signal.SIGKILL, self._server(name))

    def _server(self, name, pattern=None):
        """The processes of a node's server, or of those of its children whose titles match."""
        try:
            with open(self.path(f"data-{name}/postmaster.pid")) as file:
                first = file.readline().strip()
        except OSError:
            return []
        select = ["-f", pattern] if pattern else []
        children = subprocess.run(["pgrep", "-P", first, *select], capture_output=True, text=True).stdout.split()
        return children if pattern else [first, *children]

    @staticmethod
    def _signal(number, processes):
        for process in processes:
            try:
                os.kill(int(process), number)
            except ProcessLookupError:
                pass

    def fail_over(self, lag=0):
        """Kills the primary's node, which has replicated nothing for `lag` seconds; returns its name."""
        leader = self.leader()
        if lag:
            self._signal(signal.SIGSTOP, self._server(leader, "walsender"))
            time.sleep(lag)
        self.kill(leader)
        return leader
