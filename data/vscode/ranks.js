// SPDX-License-Identifier: GPL-3.0-or-later
// The page of the Ranks view. Its script shows what it is given, and asks by messages.
"use strict";

const STYLE = `
body { padding: 0 8px; color: var(--vscode-foreground); font: var(--vscode-font-size) var(--vscode-font-family); }
h2 { font-size: inherit; margin: 6px 0; display: flex; gap: 6px; align-items: center; }
#face { flex: none; display: inline-flex; }
.face-together { color: var(--vscode-charts-green); }
.face-diverged, .face-blocked { color: var(--vscode-charts-orange); }
.face-crashed { color: var(--vscode-charts-red); }
#chart { display: flex; height: 14px; margin: 6px 0; border: 1px solid var(--vscode-panel-border); }
#chart span { display: block; min-width: 2px; }
#chart span + span { border-left: 1px solid var(--vscode-sideBar-background, var(--vscode-editor-background)); }
.running, .stepping { background: var(--vscode-charts-green); }
.blocked { background: repeating-linear-gradient(45deg, var(--vscode-charts-orange) 0 4px, transparent 4px 7px); }
.stopped { background: var(--vscode-charts-blue); }
.breakpoint { background: var(--vscode-charts-purple); }
.exception, .signal, .failed { background: repeating-linear-gradient(45deg, var(--vscode-charts-red) 0 5px, transparent 5px 7px); }
.exited, .lost, .none { background: var(--vscode-disabledForeground); }
ul { list-style: none; margin: 0; padding: 0; }
li { display: flex; flex-wrap: wrap; gap: 4px; align-items: center; padding: 4px 0; }
li i { width: 10px; height: 10px; flex: none; }
li .text { flex: 1 1 calc(100% - 20px); text-align: left; background: none; color: inherit; border: 0; cursor: pointer; font: inherit; padding: 2px; }
button { color: var(--vscode-button-secondaryForeground); background: var(--vscode-button-secondaryBackground); border: 0; padding: 2px 6px; font: inherit; }
button:focus-visible { outline: 1px solid var(--vscode-focusBorder); }
`;

function script() {
    const api = acquireVsCodeApi();
    const at = name => document.getElementById(name);
    // the mouth of a face of 20 by 20
    const mouths = { together: "M5 12q5 6 10 0", diverged: "M5 16q5 -6 10 0", blocked: "M5 14h10M7 12v4M10 12v4M13 12v4", crashed: "M5 16q5 -6 10 0",
        ended: "M6 14h8", unknown: "M6 14h8" };
    const NAMESPACE = "http://www.w3.org/2000/svg";

    function drawFace(name) {
        const part = (tag, members) => {
            const made = document.createElementNS(NAMESPACE, tag);
            Object.entries(members).forEach(([key, value]) => made.setAttribute(key, value));
            return made;
        };
        const face = part("svg", { viewBox: "0 0 20 20", width: 20, height: 20, fill: "none", stroke: "currentColor", "stroke-width": 1.5 });
        const eyes = name === "crashed" ? "M5 6l3 3M8 6l-3 3M12 6l3 3M15 6l-3 3" : "M7 7v1M13 7v1";
        face.append(part("circle", { cx: 10, cy: 10, r: 9 }), part("path", { d: eyes }), part("path", { d: mouths[name] || mouths.unknown }));
        return face;
    }

    const make = (tag, text, members) => Object.assign(document.createElement(tag), { textContent: text }, members);

    function addGroup(group) {
        const item = make("li", "");
        const send = kind => () => api.postMessage({ kind, ranks: group.ranks, file: group.file, line: group.line });
        const mark = make("i", "", { className: group.state });
        mark.setAttribute("aria-hidden", "true");
        item.append(mark, make("button", `${group.ranks}: ${group.text}`, {
            className: "text", title: group.file ? `Open ${group.file}` : "", onclick: group.file ? send("open") : null }));
        for (const [kind, label] of [["why", "Why"], ["queue", "Queue"], ["split", "Split Off"]]) {
            const button = make("button", label, { onclick: send(kind) });
            button.setAttribute("aria-label", `${label}: ranks ${group.ranks}`);
            item.append(button);
        }
        at("groups").append(item);
    }

    function showState(state) {
        const old = document.activeElement && document.activeElement.getAttribute("aria-label");
        at("face").replaceChildren(drawFace(state.face));
        at("face").className = `face-${state.face}`;
        at("face").setAttribute("aria-label", state.face);
        at("text").textContent = state.text;
        at("chart").setAttribute("aria-label", state.states.map(group => `${group.count} ${group.state}`).join(", "));
        at("chart").replaceChildren(...state.states.map(group => {
            const part = make("span", "", { className: group.state, title: `${group.ranks}: ${group.text}` });
            part.style.flexGrow = group.count;
            return part;
        }));
        at("groups").replaceChildren();
        state.states.forEach(addGroup);
        const again = old && [...document.querySelectorAll("button")].find(button => button.getAttribute("aria-label") === old);
        if (again) {
            again.focus();
        }
        at("why").textContent = "";
    }

    addEventListener("message", ({ data }) => {
        if (data.kind === "state") {
            showState(data.state);
        } else if (data.kind === "why") {
            at("why").textContent = data.texts.join(" ");
        } else {
            at("text").textContent = data.text || "No job is debugged.";
            at("face").replaceChildren();
            at("chart").replaceChildren();
            at("groups").replaceChildren();
        }
    });
    at("update").onclick = () => api.postMessage({ kind: "update" });
    at("ask").onclick = () => api.postMessage({ kind: "why" });
    api.postMessage({ kind: "ready" });
}

function makePage(nonce) {
    return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'">
<style nonce="${nonce}">${STYLE}</style>
<title>Ranks</title>
</head>
<body>
<h2><span id="face" role="img" aria-label="not known"></span> <span id="text" aria-live="polite">No job is debugged.</span></h2>
<div id="chart" role="img" aria-label="no ranks"></div>
<div><button id="update">Update</button> <button id="ask">Why</button></div>
<p id="why" role="status"></p>
<ul id="groups" aria-label="Groups of ranks"></ul>
<script nonce="${nonce}">(${script})();</script>
</body>
</html>`;
}

module.exports = { makePage };
