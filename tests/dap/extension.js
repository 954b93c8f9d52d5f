// SPDX-License-Identifier: GPL-3.0-or-later
// The extension of VS Code in node, with a stand-in for what VS Code gives it. Its last argument is the folder.
"use strict";
const assert = require("assert");
const Module = require("module");
const path = require("path");

const folder = process.argv[process.argv.length - 1];
const manifest = require(path.join(folder, "package.json"));
const settings = { path: process.execPath, ranksAsThreads: 16, moves: "all" };
const commands = {}, asked = [], posted = [], shown = [];
const kept = {}, executed = [];
let chosen, factory, provider, receive, onCustom, onPage, onStart;
const session = { type: "pddt", customRequest: async (name, words) => {
    asked.push([name, words]);
    return name === "pddt/why" ? { sentences: [{ text: "0 waits" }] } : { states: [], result: "" };
} };
const vscode = {
    debug: { activeDebugSession: session, activeDebugConsole: { appendLine: text => shown.push(text) },
             registerDebugAdapterDescriptorFactory: (type, given) => { factory = given; },
             registerDebugConfigurationProvider: (type, given) => { provider = given; },
             onDidReceiveDebugSessionCustomEvent: given => { onCustom = given; }, onDidChangeActiveDebugSession() {},
             onDidStartDebugSession: given => { onStart = given; } },
    window: { registerWebviewViewProvider: (id, given) => { receive = given; }, showWarningMessage: async (text, button) => { shown.push(text); return button; },
              activeTextEditor: { document: { languageId: "python", fileName: "/w/a.py" } } },
    workspace: { getConfiguration: () => ({ get: name => settings[name] }) },
    commands: { registerCommand: (name, run) => { commands[name] = run; }, executeCommand: (...words) => executed.push(words) },
    extensions: { getExtension: name => chosen && name === "ms-python.python"
        ? { exports: { environments: { getActiveEnvironmentPath: () => ({ path: chosen }) } } } : undefined },
    Uri: { file: name => ({ fsPath: name }) },
    DebugAdapterExecutable: class { constructor(...words) { this.words = words; } },
};
const load = Module._load;
Module._load = (name, ...rest) => name === "vscode" ? vscode : load(name, ...rest);

async function main() {
    require(path.join(folder, manifest.main)).activate({ subscriptions: [],
        globalState: { get: name => kept[name], update: (name, value) => { kept[name] = value; } } });
    assert.deepStrictEqual(factory.createDebugAdapterDescriptor().words, [process.execPath, ["--dap"]]);
    settings.path = "pddt-is-not-there";
    assert.throws(() => factory.createDebugAdapterDescriptor(), /pddt-is-not-there is not there: install/);
    assert.deepStrictEqual(Object.keys(commands).sort(), manifest.contributes.commands.map(one => one.command).sort());

    // F5 without a configuration, and one that has its own settings
    const bare = provider.resolveDebugConfiguration({ uri: { fsPath: "/w" } }, {});
    assert.deepStrictEqual([bare.type, bare.program, bare.ranks, bare.cwd], ["pddt", "/w/a.py", 4, "/w"]);
    assert.strictEqual(bare.python, "python3");
    for (const [interpreter, wanted] of [[process.execPath, process.execPath], ["/no/such", "python3"], ["/tmp", "python3"]]) {
        chosen = interpreter;
        assert.strictEqual(provider.resolveDebugConfiguration(undefined, {}).python, wanted);
    }
    assert.strictEqual(bare.env.OMPI_MCA_rmaps_base_oversubscribe, "1");
    const own = provider.resolveDebugConfiguration(undefined, { type: "pddt", request: "launch", name: "n", moves: "focus" });
    assert.deepStrictEqual([own.moves, own.ranksAsThreads], ["focus", 16]);
    assert.strictEqual(provider.resolveDebugConfigurationWithSubstitutedVariables(undefined, { launcherPid: "17" }).launcherPid, 17);

    // the view, which is opened once
    onStart({ type: "cppdbg" });
    onStart(session);
    onStart(session);
    assert.deepStrictEqual(executed, [["pddt.ranks.focus", { preserveFocus: true }]]);
    const view = { visible: true, onDidChangeVisibility() {}, onDidDispose() {},
        webview: { onDidReceiveMessage: given => { onPage = given; }, postMessage: message => posted.push(message) } };
    receive.resolveWebviewView(view);
    const page = view.webview.html;
    for (const id of ["face", "text", "chart", "groups", "update", "ask", "why"]) {
        assert(page.includes(`id="${id}"`) && page.includes(`at("${id}")`), id);
    }
    assert(/script-src 'nonce-[^']+'/.test(page) && !/\son\w+="/.test(page));
    new Function(page.match(/<script[^>]*>([^]*)<\/script>/)[1]); // it can be read
    await onPage({ kind: "ready" });
    await onPage({ kind: "update" });
    assert.deepStrictEqual(asked.splice(0), [["pddt/state", { update: false }], ["pddt/state", { update: true }]]);
    await onPage({ kind: "why", ranks: "0-3" });
    await onPage({ kind: "queue", ranks: "0-3" });
    await onPage({ kind: "split", ranks: "2" });
    assert.deepStrictEqual(asked.splice(0), [["pddt/why", { ranks: "0-3" }],
        ["evaluate", { expression: "on 0-3 show queue", context: "repl" }], ["pddt/pin", { ranks: "2" }]]);
    onCustom({ session, event: "pddt/verdict", body: { text: "0 and 1 wait" } });
    assert(shown.includes("0 waits") && shown.includes("pddt: 0 and 1 wait"));
    await new Promise(setImmediate);
    assert.deepStrictEqual(asked.splice(0), [["evaluate", { expression: "on all pause", context: "repl" }]]);
    assert.strictEqual(posted.filter(message => message.kind === "state").length, 2);
    console.log("ok extension");
}

main().catch(error => { console.error(error); process.exit(1); });
