// SPDX-License-Identifier: GPL-3.0-or-later
// VS Code in headless Chromium: groups of 64 ranks that part, are stepped and meet, a deadlock of 8, 1,000 fake ranks, F5 in a
// Python file, a terminal, a job that is begun again, and one that is attached to and has left core files.
// tests/dap/window says what the environment has.
"use strict";
const assert = require("assert");
const { execFileSync, spawn } = require("child_process");
const fs = require("fs");
const net = require("net");
const path = require("path");
const { CODE, WORK, PICTURES, TOP, PDDT, FAKE } = process.env;
const { chromium } = require(path.join(CODE, "node_modules", "playwright-core"));
const LIMIT_MS = 300000;
const ENTRY = path.join(CODE, "node_modules", "code-server", "out", "node", "entry.js");

function lineOf(file, mark) {
    return fs.readFileSync(file, "utf8").split("\n").findIndex(text => text.trimEnd().endsWith(`@ ${mark}`)) + 1;
}

function findPort() {
    return new Promise(resolve => {
        const server = net.createServer().listen(0, "127.0.0.1", () => {
            const { port } = server.address();
            server.close(() => resolve(port));
        });
    });
}

/** A fact, with a deadline. */
async function waitFor(what, probe) {
    const end = Date.now() + LIMIT_MS;
    let last;
    for (;;) {
        try {
            last = await probe();
        } catch (error) { // what is looked at has just been drawn anew
            last = String(error).split("\n")[0];
        }
        if (last === true) {
            return;
        }
        if (Date.now() > end) {
            throw new Error(`no ${what}: ${JSON.stringify(last)}`);
        }
        await new Promise(resolve => setTimeout(resolve, 100));
    }
}

/** A folder with its own launch.json, opened in a page of its own; pddt: the program that the extension starts. */
async function open(browser, scene) {
    const folder = path.join(WORK, scene.name);
    fs.mkdirSync(path.join(folder, ".vscode"), { recursive: true });
    const configuration = { type: "pddt", request: "launch", name: scene.name, ...(scene.configuration || {}) };
    if (configuration.request === "launch") {
        configuration.cwd = WORK;
    }
    if (scene.configuration) {
        fs.writeFileSync(path.join(folder, ".vscode", "launch.json"), JSON.stringify({ version: "0.2.0", configurations: [configuration] }));
    }
    if (scene.file) {
        fs.copyFileSync(path.join(TOP, scene.file), path.join(folder, path.basename(scene.file)));
    }
    const settings = { "pddt.path": scene.pddt, "remote.autoForwardPorts": false, "workbench.startupEditor": "none",
                       "security.workspace.trust.enabled": false, "debug.openDebug": "openOnSessionStart",
                       "debug.internalConsoleOptions": "openOnSessionStart", "git.openRepositoryInParentFolders": "never", "window.restoreWindows": "none" };
    for (const part of ["User", "Machine"]) { // some settings are of the machine, others of the user
        fs.mkdirSync(path.join(WORK, "data", part), { recursive: true });
        fs.writeFileSync(path.join(WORK, "data", part, "settings.json"), JSON.stringify(settings));
    }
    const port = await findPort();
    const server = spawn("node", [ENTRY, "--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--user-data-dir", path.join(WORK, "data"),
        "--extensions-dir", path.join(WORK, "extensions"), "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust",
        "--disable-getting-started-override", folder], { stdio: ["ignore", fs.openSync(path.join(WORK, `${scene.name}.log`), "w"), "ignore"],
                                                         detached: true });
    await waitFor("server", () => new Promise(resolve => {
        const socket = net.connect(port, "127.0.0.1", () => { socket.destroy(); resolve(true); }).on("error", () => resolve(false));
    }));
    const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
    page.setDefaultTimeout(LIMIT_MS);
    await page.goto(`http://127.0.0.1:${port}/?folder=${folder}`);
    await page.waitForSelector(".monaco-workbench");
    return { page, server };
}

async function listThreads(page) {
    return page.evaluate(() => [...document.querySelectorAll(".debug-call-stack .monaco-list-row")].map(row => row.textContent));
}

async function listVariables(page) {
    return page.evaluate(() => [...document.querySelectorAll(".debug-variables .monaco-list-row")].map(row => row.textContent));
}

/** The frame of the view Ranks: a page in a page. */
async function findRanks(page) {
    for (const frame of page.frames()) {
        if (await frame.$("#face").catch(() => null)) {
            return frame;
        }
    }
    return null;
}

async function readRanks(page) {
    const frame = await findRanks(page);
    return frame === null ? [] : frame.evaluate(() => [document.getElementById("text").textContent,
        ...[...document.querySelectorAll("#groups .text")].map(one => one.textContent)]);
}

const has = (texts, ...parts) => parts.every(part => texts.some(text => text.includes(part))) || texts;

async function start(page) {
    await waitFor("session", async () => { // F5 is heard only when the extension's host is there
        if (await page.$(".debug-toolbar")) {
            return true;
        }
        await page.keyboard.press("F5");
        // a second one, of a session that is about to begin, would ask for another session
        return page.waitForSelector(".debug-toolbar", { timeout: 20000 }).then(() => true, () => false);
    });
}

async function begin(page, first) {
    await start(page);
    await waitFor("view Ranks", async () => has(await readRanks(page), first));
}

async function show(page, name) {
    if (PICTURES) {
        await page.screenshot({ path: path.join(PICTURES, `${name}.png`) });
    }
}

async function type(page, line) {
    await page.click(".repl-input-wrapper");
    await page.keyboard.type(line);
    await page.keyboard.press("Enter");
}

async function groups(page) {
    const source = path.join(WORK, "array.c");
    const [print, end] = [lineOf(source, "print"), lineOf(source, "end")];
    await begin(page, "0-63: stopped, main at array.c");
    await type(page, `on 0-31 break array.c:${print}`);
    await type(page, `on 32-63 break array.c:${end}`);
    await type(page, "continue");
    await waitFor("two groups", async () => has(await listThreads(page), `0-31: breakpoint 1, main at array.c:${print}`,
                                                `32-63: breakpoint 2, main at array.c:${end}`));
    await waitFor("two groups in the view", async () => has(await readRanks(page), "0-31: ", "32-63: "));
    await waitFor("values of a group", async () => has(await listVariables(page), "Locals", "numbers"));
    await show(page, "groups");
    await type(page, "on 0-31 next");
    await waitFor("a step of 32", async () => has(await listThreads(page), `0-31: stopped, main at array.c:${end}`));
    await type(page, "next");
    // Of a single thread VS Code shows the frames alone.
    await waitFor("one group", async () => has(await readRanks(page), `0-63: stopped, main at array.c:${end + 1}`));
    await waitFor("its frames", async () => has(await listThreads(page), `mainarray.c${end + 1}`));
    await page.keyboard.press("F10");
    await waitFor("a step of 64", async () => has(await readRanks(page), `0-63: stopped, main at array.c:${end + 2}`));
    await show(page, "stepped");
}

async function deadlock(page) {
    await start(page);
    await waitFor("notification", async () => has(
        await page.evaluate(() => [...document.querySelectorAll(".notification-list-item-message")].map(one => one.textContent)), "MPI_Recv"));
    await waitFor("blocked ranks", async () => has(await readRanks(page), "blocked"));
    await show(page, "deadlock");
}

async function many(page) {
    await begin(page, "0-999: stopped, main at sample.c");
    await type(page, "on 0-499 next");
    await waitFor("two groups", async () => has(await listThreads(page), "0-499: ", "500-999: "));
    await show(page, "many");
}

/** Without a launch.json: a new user's F5. */
async function python(page) {
    const line = lineOf(path.join(TOP, "tests", "dap", "ring.py"), "square");
    await page.dblclick(".explorer-folders-view .monaco-list-row[aria-label^='ring.py']");
    await page.waitForSelector(".tab[data-resource-name='ring.py']");
    await page.click(".monaco-editor .view-line");
    await begin(page, "0-3: stopped, <module> at ring.py");
    await waitFor("the first line", async () => has(await listThreads(page), "<module>ring.py2"));
    await type(page, `break ring.py:${line}`);
    await type(page, "continue");
    await waitFor("a rank at the line", async () => has(await listThreads(page), `rank 0: work at ring.py:${line}`));
    await waitFor("its value", async () => has(await listVariables(page), "number"));
    await show(page, "python");
}

/** A program that asks for a line, as it is typed in a terminal. */
function makeAsking() {
    const program = path.join(WORK, "asks");
    fs.writeFileSync(`${program}.c`, `#include <stdio.h>
int main (void)
{
    char line[80] = "";
    FILE *file;

    printf ("name? ");
    fflush (stdout);
    fgets (line, sizeof line, stdin);
    file = fopen ("${program}.txt", "w");
    fputs (line, file);
    return fclose (file);
}
`);
    execFileSync("gcc", ["-g", "-O0", "-o", program, `${program}.c`]);
}

async function terminal(page) {
    await start(page);
    await waitFor("terminal", async () => has(await page.evaluate(() => [...document.querySelectorAll(".terminal-tabs-entry, .single-terminal-tab")]
        .map(one => one.textContent)), "pddt"));
    await page.click(".xterm-screen");
    await page.keyboard.type("you");
    await show(page, "terminal");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".debug-toolbar", { state: "detached" });
    assert.strictEqual(fs.readFileSync(path.join(WORK, "asks.txt"), "utf8"), "you\n");
}

async function again(page) {
    const source = path.join(WORK, "array.c");
    const end = lineOf(source, "end");
    await begin(page, "0-1: stopped, main at array.c:");
    await type(page, `break array.c:${end}`);
    await type(page, "continue");
    await waitFor("the breakpoint", async () => has(await readRanks(page), `0-1: breakpoint 1, main at array.c:${end}`));
    await page.keyboard.press("Control+Shift+F5");
    await waitFor("another beginning", async () => has(await readRanks(page), "0-1: stopped, main at array.c:"));
    await show(page, "again");
}

/** A job that hangs, and ends with the scene. */
function runJob() {
    const job = spawn("mpirun", ["--oversubscribe", "-np", "2", path.join(WORK, "ring"), "hang"], { stdio: "ignore" });
    return () => job.kill();
}

async function dumpJob() {
    const end = runJob();
    const list = () => execFileSync("pgrep", ["-f", `^${WORK}/ring hang`]).toString().trim().split("\n");
    await waitFor("ranks", () => list().length === 2);
    list().forEach((pid, number) => {
        execFileSync("gcore", ["-o", path.join(WORK, "core"), pid], { stdio: "ignore" });
        fs.renameSync(path.join(WORK, `core.${pid}`), path.join(WORK, `core.${number}`));
    });
    end();
    return () => {};
}

async function attached(page) {
    await start(page);
    await page.waitForSelector(".quick-input-list .monaco-list-row");
    await show(page, "choice");
    await page.keyboard.press("Enter");
    await waitFor("ranks", async () => has(await listThreads(page), "rank 0: ", "rank 1: "));
    await show(page, "attached");
}

async function cores(page) {
    await begin(page, "0-1: ");
    await waitFor("frames", async () => has(await listThreads(page), "main"));
    await show(page, "cores");
}

// byName: only where it is asked for
const SCENES = [
    { name: "groups", pddt: PDDT, run: groups, configuration: { command: `mpirun --oversubscribe -np 64 ${WORK}/array`, moves: "thread" } },
    { name: "deadlock", pddt: PDDT, run: deadlock,
      configuration: { command: `mpirun --oversubscribe -np 8 ${WORK}/ring hang`, stopAt: "none" } },
    { name: "python", byName: true, pddt: path.join(WORK, "own"), run: python, file: "tests/dap/ring.py" },
    { name: "terminal", byName: true, pddt: PDDT, run: terminal, prepare: makeAsking,
      configuration: { program: `${WORK}/asks`, stopAt: "none", console: "integratedTerminal" } },
    { name: "again", byName: true, pddt: PDDT, run: again, configuration: { command: `mpirun --oversubscribe -np 2 ${WORK}/array` } },
    { name: "attached", byName: true, pddt: PDDT, run: attached, prepare: runJob, configuration: { request: "attach", launcherPid: "${command:pickLauncher}" } },
    { name: "cores", byName: true, pddt: PDDT, run: cores, prepare: dumpJob, configuration: { request: "attach", cores: [`${WORK}/core.0`, `${WORK}/core.1`] } },
    { name: "many", pddt: path.join(WORK, "fake"), run: many, configuration: { command: "mpirun -np 1000 ./app" } },
];

async function main() {
    // the extension starts what it is told to with "--dap" alone
    fs.writeFileSync(path.join(WORK, "fake"), `#!/bin/sh\nexec ${FAKE} 1000 ${TOP}/tests/gui/sample.c\n`, { mode: 0o755 });
    // python3 is the one that has mpi4py
    fs.mkdirSync(path.join(WORK, "bin"));
    fs.symlinkSync("/usr/bin/python3", path.join(WORK, "bin", "python3"));
    fs.writeFileSync(path.join(WORK, "own"), `#!/bin/sh\nPATH=${WORK}/bin:$PATH exec ${PDDT} "$@"\n`, { mode: 0o755 });
    execFileSync("npx", ["--yes", "@vscode/vsce@3.9.2", "package", "--no-dependencies", "--allow-missing-repository", "-o",
        path.join(WORK, "pddt.vsix")], { cwd: path.join(WORK, "extension"), stdio: "ignore" });
    execFileSync("node", [ENTRY, "--user-data-dir", path.join(WORK, "data"), "--extensions-dir", path.join(WORK, "extensions"),
        "--install-extension", path.join(WORK, "pddt.vsix")], { stdio: "ignore" });
    const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
    try {
        for (const scene of SCENES.filter(one => process.argv.length < 3 ? !one.byName : process.argv.includes(one.name))) {
            const clear = scene.prepare ? await scene.prepare() : undefined;
            const { page, server } = await open(browser, scene);
            try {
                await scene.run(page);
                console.log("ok", scene.name);
            } catch (error) {
                await page.screenshot({ path: path.join(PICTURES || "/tmp", `pddt-window-${scene.name}-failed.png`) });
                throw error;
            } finally {
                await page.keyboard.press("Shift+F5");
                await page.waitForSelector(".debug-toolbar", { state: "detached", timeout: 30000 }).catch(() => {});
                await page.close();
                process.kill(-server.pid, "SIGTERM");
                if (clear) {
                    clear();
                }
            }
        }
    } finally {
        await browser.close();
    }
}

assert(CODE && WORK && PDDT);
main().then(() => process.exit(0), error => { console.error(error); process.exit(1); });
