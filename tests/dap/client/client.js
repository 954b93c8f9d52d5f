// SPDX-License-Identifier: GPL-3.0-or-later
// The protocol's own test client: launch, breakpoint, step, values, a deadlock. Arguments: pddt, the program
// ring, its source, a line.
"use strict";
const assert = require("assert");
const { DebugClient } = require("@vscode/debugadapter-testsupport");
const [pddt, ring, source, line] = process.argv.slice(2);

async function connect() {
    const client = new DebugClient(pddt, "--dap", "pddt");
    const initialized = client.waitForEvent("initialized");
    client.defaultTimeout = 60000;
    await client.start();
    const answer = await client.initializeRequest({ adapterID: "pddt", linesStartAt1: true, columnsStartAt1: true, pathFormat: "path" });
    assert(answer.body.supportsConfigurationDoneRequest && answer.body.supportsGotoTargetsRequest);
    await initialized;
    return client;
}

async function debug() {
    const client = await connect();
    const launched = client.launchRequest({ command: `mpirun --oversubscribe -np 8 ${ring}`, stopAt: "none", moves: "all" });
    await client.setBreakpointsRequest({ source: { path: source }, breakpoints: [{ line: Number(line) }] });
    const stops = client.waitForEvent("stopped");
    await client.configurationDoneRequest();
    await launched;
    let stop = await stops;
    while (!stop.body.allThreadsStopped) {
        stop = await client.waitForEvent("stopped");
    }
    const { threads } = (await client.threadsRequest()).body;
    assert.deepStrictEqual(threads.map(thread => thread.name), threads.map((_, rank) => `rank ${rank}: pass at ring.c:${line}`));
    assert.strictEqual(threads.length, 8);
    const { stackFrames } = (await client.stackTraceRequest({ threadId: 3, startFrame: 0, levels: 20 })).body;
    assert.deepStrictEqual([stackFrames[0].name, stackFrames[0].line, stackFrames[0].source.path], ["pass", Number(line), source]);
    const { scopes } = (await client.scopesRequest({ frameId: stackFrames[0].id })).body;
    const { variables } = (await client.variablesRequest({ variablesReference: scopes[0].variablesReference })).body;
    assert.strictEqual(variables.find(one => one.name === "rank").value, "2 (0-7: [0..7])");
    const stepped = client.waitForEvent("stopped");
    await client.nextRequest({ threadId: 3 });
    await stepped;
    const ended = client.waitForEvent("terminated");
    await client.setBreakpointsRequest({ source: { path: source }, breakpoints: [] });
    await client.continueRequest({ threadId: 1 });
    await ended;
    await client.stop(); // which disconnects
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
debug().then(hang).then(() => { console.log("ok client"); process.exit(0); }, error => { console.error(error); process.exit(1); });
