// SPDX-License-Identifier: GPL-3.0-or-later
// The protocol's own test client: launch, breakpoint, step, values, restart, in C and mpi4py; a deadlock, a crash, attach
// and core files. Arguments: pddt, the program ring, its source, a line; Python, its program, a line.
"use strict";
const assert = require("assert");
const fs = require("fs");
const os = require("os");
const path = require("path");
const { execFileSync, spawn } = require("child_process");
const { DebugClient } = require("@vscode/debugadapter-testsupport");
const [pddt, ring, source, line, python, script, square] = process.argv.slice(2);

async function connect() {
    const client = new DebugClient(pddt, "--dap", "pddt");
    const initialized = client.waitForEvent("initialized");
    client.defaultTimeout = 200000; // of one that hangs
    await client.start();
    const answer = await client.initializeRequest({ adapterID: "pddt", linesStartAt1: true, columnsStartAt1: true, pathFormat: "path" });
    assert(answer.body.supportsConfigurationDoneRequest && answer.body.supportsGotoTargetsRequest);
    await initialized;
    return client;
}

// To be called before what makes them stop: where ranks stop one after the other, two events may come in one piece, of which
// who waits for one after the other hears the first alone.
function allStopped(client) {
    return new Promise((resolve, reject) => {
        const limit = setTimeout(() => reject(new Error("not all have stopped")), client.defaultTimeout);
        client.on("stopped", function hear(stop) {
            if (stop.body.allThreadsStopped) {
                clearTimeout(limit);
                client.removeListener("stopped", hear);
                resolve(stop);
            }
        });
    });
}

async function locals(client, threadId) {
    const { stackFrames } = (await client.stackTraceRequest({ threadId, startFrame: 0, levels: 20 })).body;
    const { scopes } = (await client.scopesRequest({ frameId: stackFrames[0].id })).body;
    const { variables } = (await client.variablesRequest({ variablesReference: scopes[0].variablesReference })).body;
    return { frame: stackFrames[0], variables };
}

async function debug() {
    const client = await connect();
    const launched = client.launchRequest({ command: `mpirun --oversubscribe -np 8 ${ring}`, stopAt: "none", moves: "all" });
    await client.setBreakpointsRequest({ source: { path: source }, breakpoints: [{ line: Number(line) }] });
    const stops = allStopped(client);
    await client.configurationDoneRequest();
    await launched;
    await stops;
    const { threads } = (await client.threadsRequest()).body;
    assert.deepStrictEqual(threads.map(thread => thread.name), threads.map((_, rank) => `rank ${rank}: pass at ring.c:${line}`));
    assert.strictEqual(threads.length, 8);
    const { frame, variables } = await locals(client, 3);
    assert.deepStrictEqual([frame.name, frame.line, frame.source.path], ["pass", Number(line), source]);
    assert.strictEqual(variables.find(one => one.name === "rank").value, "2 (0-7: [0..7])");
    const stepped = allStopped(client);
    await client.nextRequest({ threadId: 3 });
    await stepped;
    const again = allStopped(client);
    await client.restartRequest({});
    await again;
    assert.strictEqual((await locals(client, 8)).variables.find(one => one.name === "rank").value, "7 (0-7: [0..7])");
    const ended = client.waitForEvent("terminated");
    await client.setBreakpointsRequest({ source: { path: source }, breakpoints: [] });
    await client.continueRequest({ threadId: 1 });
    await ended;
    await client.stop(); // which disconnects
}

async function debugPython() {
    const client = await connect();
    const launched = client.launchRequest({ program: script, ranks: 8, mpi: "mpirun", launcherArgs: ["--oversubscribe"],
                                            python, stopAt: "none", moves: "all" });
    await client.setBreakpointsRequest({ source: { path: script }, breakpoints: [{ line: Number(square) }] });
    const stops = allStopped(client);
    await client.configurationDoneRequest();
    await launched;
    await stops;
    const { frame, variables } = await locals(client, 5);
    assert.deepStrictEqual([frame.name, frame.line, frame.source.path], ["work", Number(square), script]);
    assert.strictEqual(variables.find(one => one.name === "number").value, "4 (0-7: [0..7])");
    const ended = client.waitForEvent("terminated");
    await client.continueRequest({ threadId: 1 });
    await ended;
    await client.stop();
}

async function crash() {
    const client = await connect();
    const stops = client.waitForEvent("stopped");
    const launched = client.launchRequest({ program: "/bin/sh", args: ["-c", "kill -SEGV $$"], stopAt: "none" });
    await client.configurationDoneRequest();
    await launched;
    assert.strictEqual((await stops).body.reason, "exception");
    assert.strictEqual((await client.customRequest("exceptionInfo", { threadId: 1 })).body.exceptionId, "SIGSEGV");
    await client.stop();
}

async function attach() {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "pddt-client-"));
    const program = spawn(python, ["-c", "import time\nwhile True: time.sleep(0.01)"]);
    try {
        let client = await connect();
        let stops = client.waitForEvent("stopped");
        let attached = client.attachRequest({ processes: [program.pid] });
        await client.configurationDoneRequest();
        await attached;
        await stops;
        let { stackFrames } = (await client.stackTraceRequest({ threadId: 1 })).body;
        assert(stackFrames.some(frame => frame.name === "<module>"));
        await client.stop();
        assert.strictEqual(program.exitCode, null);
        execFileSync("gcore", ["-o", path.join(folder, "core"), String(program.pid)], { stdio: "ignore" });
        client = await connect();
        stops = client.waitForEvent("stopped");
        attached = client.attachRequest({ cores: [path.join(folder, `core.${program.pid}`)] });
        await client.configurationDoneRequest();
        await attached;
        await stops;
        ({ stackFrames } = (await client.stackTraceRequest({ threadId: 1 })).body);
        assert(stackFrames.some(frame => frame.name === "<module>"));
        await client.stop();
    } finally {
        program.kill();
        fs.rmSync(folder, { recursive: true });
    }
}

async function hang() {
    const client = await connect();
    const verdict = new Promise(resolve => client.on("pddt/verdict", resolve));
    const launched = client.launchRequest({ command: `mpirun --oversubscribe -np 2 ${ring} hang`, stopAt: "none" });
    await client.configurationDoneRequest();
    await launched;
    assert.strictEqual((await verdict).body.kind, "cycle");
    await client.stop(); // which disconnects
}

process.exitCode = 1; // also where everything ends before it was checked
async function main() {
    for (const part of [debug, debugPython, hang, crash, attach]) {
        await part();
        console.log("ok", part.name);
    }
}
main().then(() => process.exit(0), error => { console.error(error); process.exit(1); });
