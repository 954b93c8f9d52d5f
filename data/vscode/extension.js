// SPDX-License-Identifier: GPL-3.0-or-later
// pddt in VS Code: starts `pddt --dap` for a debug session, offers jobs to attach to, and shows the ranks in a view.
"use strict";
const childProcess = require("child_process");
const fs = require("fs");
const path = require("path");
const vscode = require("vscode");

const SHOWN = "ranks have been shown";
const PAUSE = "Pause All Ranks";
/* A first try has more ranks than many a machine has cores, which Open MPI refuses: version 4 and version 5. */
const CROWDED = { OMPI_MCA_rmaps_base_oversubscribe: "1", PRTE_MCA_rmaps_default_mapping_policy: ":oversubscribe" };
const LAUNCHERS = /^(mpirun|mpiexec|mpiexec\.hydra|orterun|prterun|prun|srun)$/;

/** The program pddt. Without it VS Code says nothing that helps. */
function findPddt() {
    const name = vscode.workspace.getConfiguration("pddt").get("path") || "pddt";
    const folders = name.includes("/") ? [""] : (process.env.PATH || "").split(":");
    const found = folders.map(folder => path.join(folder, name)).find(file => {
        try {
            fs.accessSync(file, fs.constants.X_OK);
            return true;
        } catch {
            return false;
        }
    });
    if (!found) {
        throw new Error(`The program ${name} is not there: install pddt where the job runs, or say in the setting pddt.path where it is`);
    }
    return found;
}

function getSession() {
    const session = vscode.debug.activeDebugSession;
    return session && session.type === "pddt" ? session : undefined;
}

/** Lines of `ps`, the newest process first. */
function listProcesses() {
    return new Promise((resolve, reject) => {
        childProcess.execFile("ps", ["-u", String(process.getuid()), "-o", "pid=,args="], { maxBuffer: 1 << 24 },
            (error, text) => error ? reject(error) : resolve(text.split("\n").map(line => line.trim().match(/^(\d+) (.*)$/))
                .filter(Boolean).map(([, pid, command]) => ({ pid, command })).reverse()));
    });
}

async function pickProcess(isWanted, title) {
    const found = (await listProcesses()).filter(isWanted);
    if (found.length === 0) {
        vscode.window.showWarningMessage("pddt: there is no such process of yours on this machine");
        return undefined;
    }
    const chosen = await vscode.window.showQuickPick(
        found.map(({ pid, command }) => ({ label: command.slice(0, 200), description: pid, pid })), { title, matchOnDescription: true });
    return chosen && chosen.pid;
}

/** The interpreter that is chosen in VS Code's Python extension, if that is there and has been asked already. */
function findPython(file) {
    const python = vscode.extensions.getExtension("ms-python.python");
    try {
        const chosen = python.exports.environments.getActiveEnvironmentPath(vscode.Uri.file(file)).path;
        fs.accessSync(chosen, fs.constants.X_OK);
        return fs.statSync(chosen).isFile() ? chosen : "python3";
    } catch {
        return "python3";
    }
}

/** What a configuration of the user becomes; without any, the program that is asked for. */
const configurations = {
    resolveDebugConfiguration(folder, configuration) {
        if (!configuration.type && !configuration.request && !configuration.name) {
            const editor = vscode.window.activeTextEditor;
            if (!editor || editor.document.languageId !== "python") {
                vscode.commands.executeCommand("pddt.debug");
                return undefined;
            }
            return { type: "pddt", request: "launch", name: "mpi4py: 4 ranks", program: editor.document.fileName,
                     python: findPython(editor.document.fileName),
                     ranks: 4, env: CROWDED, cwd: folder && folder.uri.fsPath };
        }
        const settings = vscode.workspace.getConfiguration("pddt");
        return { ranksAsThreads: settings.get("ranksAsThreads"), moves: settings.get("moves"),
                 ...(configuration.request === "launch" && folder ? { cwd: folder.uri.fsPath } : {}), ...configuration };
    },
    // pickers and variables give texts where numbers are wanted
    resolveDebugConfigurationWithSubstitutedVariables(folder, configuration) {
        if (typeof configuration.launcherPid === "string") {
            configuration.launcherPid = Number(configuration.launcherPid);
        }
        return configuration;
    },
};

async function debugWithMpi() {
    const program = await vscode.window.showOpenDialog({ title: "The program, or the Python script", openLabel: "Debug" });
    if (!program) {
        return;
    }
    const ranks = await vscode.window.showInputBox({ title: "How many ranks?", value: "4",
        validateInput: text => /^[1-9]\d*$/.test(text) ? undefined : "a number from 1 on" });
    if (!ranks) {
        return;
    }
    const file = program[0].fsPath;
    const folder = vscode.workspace.getWorkspaceFolder(program[0]);
    await vscode.debug.startDebugging(folder, { type: "pddt", request: "launch", name: `${path.basename(file)}: ${ranks} ranks`,
        program: file, ranks: Number(ranks), env: CROWDED, ...(file.endsWith(".py") ? { python: findPython(file) } : {}) });
}

/** The Ranks view: it shows what pddt/state says, and asks the job for more only by Update. */
class RanksView {
    constructor() {
        this.view = undefined;
    }

    resolveWebviewView(view) {
        this.view = view;
        view.webview.options = { enableScripts: true, localResourceRoots: [] };
        view.webview.html = require("./ranks").makePage(require("crypto").randomBytes(16).toString("base64"));
        view.webview.onDidReceiveMessage(message => this.onMessage(message));
        view.onDidChangeVisibility(() => this.show(false));
        view.onDidDispose(() => { this.view = undefined; });
    }

    async show(update) {
        const session = getSession();
        if (!this.view || !this.view.visible) {
            return;
        }
        if (!session) {
            this.view.webview.postMessage({ kind: "none" });
            return;
        }
        try {
            const state = await session.customRequest("pddt/state", { update });
            this.view.webview.postMessage({ kind: "state", state });
        } catch (error) {
            this.view.webview.postMessage({ kind: "none", text: error.message });
        }
    }

    async onMessage(message) {
        switch (message.kind) {
        case "ready": return this.show(false);
        case "update": return this.show(true);
        case "why": return this.tellWhy(message.ranks);
        case "queue": return this.runLine(`on ${message.ranks} show queue`);
        case "split": {
            const session = getSession();
            await session.customRequest("pddt/pin", { ranks: message.ranks }).catch(
                error => vscode.window.showErrorMessage(`pddt: ${error.message}`));
            return undefined;
        }
        case "open": {
            const document = await vscode.workspace.openTextDocument(message.file);
            const line = Math.max(0, message.line - 1);
            return vscode.window.showTextDocument(document, { selection: new vscode.Range(line, 0, line, 0), preserveFocus: true });
        }
        }
        return undefined;
    }

    async tellWhy(ranks) {
        const session = getSession();
        if (!session) {
            return;
        }
        const answer = await session.customRequest("pddt/why", ranks ? { ranks } : {});
        const texts = answer.sentences.map(sentence => sentence.text);
        if (this.view) {
            this.view.webview.postMessage({ kind: "why", texts });
        }
        vscode.debug.activeDebugConsole.appendLine(texts.join("\n"));
    }

    async runLine(line) {
        const session = getSession();
        if (session) {
            const answer = await session.customRequest("evaluate", { expression: line, context: "repl" });
            vscode.debug.activeDebugConsole.appendLine(answer.result);
            vscode.commands.executeCommand("workbench.debug.action.focusRepl");
        }
    }
}

/** Ranks that cannot go on are not stopped by that: who wants to see their stacks and values pauses them. */
async function tellVerdict(session, text) {
    if (await vscode.window.showWarningMessage(`pddt: ${text}`, PAUSE) === PAUSE) {
        await session.customRequest("evaluate", { expression: "on all pause", context: "repl" }).then(undefined, () => {});
    }
}

function activate(context) {
    const view = new RanksView();
    context.subscriptions.push(
        vscode.debug.registerDebugAdapterDescriptorFactory("pddt", {
            createDebugAdapterDescriptor: () => new vscode.DebugAdapterExecutable(findPddt(), ["--dap"]),
        }),
        vscode.debug.registerDebugConfigurationProvider("pddt", configurations),
        vscode.window.registerWebviewViewProvider("pddt.ranks", view, { webviewOptions: { retainContextWhenHidden: true } }),
        vscode.debug.onDidReceiveDebugSessionCustomEvent(event => {
            if (event.session.type !== "pddt") {
                return;
            }
            if (event.event === "pddt/changed") {
                view.show(false);
            } else if (event.event === "pddt/verdict") {
                tellVerdict(event.session, event.body.text);
            }
        }),
        vscode.debug.onDidChangeActiveDebugSession(() => view.show(false)),
        // VS Code has views of extensions closed there at first; from then on it is as the user leaves it.
        vscode.debug.onDidStartDebugSession(session => {
            if (session.type === "pddt" && !context.globalState.get(SHOWN)) {
                context.globalState.update(SHOWN, true);
                vscode.commands.executeCommand("pddt.ranks.focus", { preserveFocus: true });
            }
        }),
        vscode.commands.registerCommand("pddt.debug", debugWithMpi),
        vscode.commands.registerCommand("pddt.pickLauncher", () => pickProcess(
            ({ command }) => LAUNCHERS.test(path.basename(command.split(" ")[0])), "A running MPI job")),
        vscode.commands.registerCommand("pddt.pickProcess", () => pickProcess(() => true, "A running process")),
        vscode.commands.registerCommand("pddt.update", () => view.show(true)),
        vscode.commands.registerCommand("pddt.why", () => view.tellWhy()),
        vscode.commands.registerCommand("pddt.queue", () => view.runLine("on all show queue")));
    return { view, configurations };
}

module.exports = { activate, deactivate() {} };
