# SPDX-License-Identifier: GPL-3.0-or-later
"""What the front end believes of ranks, breakpoints, options and sets changes behind one door: session_apply,
which takes events, and session_apply_change, which takes what the front end decides itself. A function that
writes such a fact, or calls one that does, may be called only by others of them and by the door: it stands in
no public header, and nobody calls it back. In a host's daemon the states of processes and threads, and what
keeps them from running, are written in one file. What belongs to an address space is known to one file alone, which also
says which one a process runs in, and walks along its modules: another list may come while the walker waits. No structure has a
pointer to a thread but those that go before it does: what is kept longer is the thread's number."""
import re

import source

FOLDER = source.SRC / "session"
DOORS = {"session_apply", "session_apply_change"}
LIFE = {"session_init", "session_finalize", "session_dispose",      # of the object, and of what it has
        "session_breakpoint_free"}
FACTS = ("ranks->(?:records|fact_indexes|states|counts|size|facts|fact_set|n_reported|n_arrived|n_motions)",
         "breakpoints->all", "options->(?:values|skips)", "sets->(?:named|focus|focus_is_all)",
         "silences->(?:list|ranks)")
FIELD = r"session->(?:" + "|".join(FACTS) + r")\b"
WRITES = re.compile(
    rf"{FIELD}(?:\[[^;=]*?\]|->pdata\[[^;=]*?\])?(?:\.\w+|->\w+)* *(?:[-+|&]?=(?!=)|\+\+|--)"
    rf"|(?:\+\+|--){FIELD}|&{FIELD}(?!\[)"
    rf"|\bg_(?:ptr_array|array|hash_table)_(?:add|append|insert|remove|replace|set_size|steal|sort|unref)\w* "
    rf"\({FIELD}|\bg_free \({FIELD}"
    rf"|\bjob_rank_set_(?:add|merge|remove|clear|free)\w* \({FIELD}"
    # who has one of these, and not a const one, writes what is believed
    r"|(?<!const )\b(?:SessionRankRecord|SessionBreakpoint) \*(?!\))")
READS = re.compile(r"\(SessionBreakpoint \*|sizeof")


class Function:
    def __init__(self, name, path, is_static, body, head):
        self.name, self.path, self.is_static, self.body, self.head = name, path, is_static, body, head
        self.calls, self.called_back = set(), set()


def read_functions():
    functions, texts = [], {}
    for name, path, first, end, is_static in source.list_functions(sorted(FOLDER.rglob("*.c"))):
        lines = texts.setdefault(path, source.strip_comments(path.read_text()).split("\n"))
        text = "\n".join(lines[first - 1:end])
        head, _, body = text.partition("{")
        functions.append(Function(name, path, is_static, body, head))
    return functions, texts


def link(functions):
    """Whom each one calls, and whose address it takes. A static one is its file's own."""
    public = {f.name: f for f in functions if not f.is_static}
    own = {(f.path, f.name): f for f in functions if f.is_static}
    word = re.compile(r"\b([a-z_]\w*)\b( *\()?")
    for function in functions:
        for name, call in word.findall(function.body):
            other = own.get((function.path, name)) or public.get(name)
            if other is not None:
                (function.calls if call else function.called_back).add(other)


def find_table_entries(functions, texts):
    """Those that a table outside of functions has, a backend's for example."""
    own = {(f.path, f.name): f for f in functions}
    for path, lines in texts.items():
        for name in re.findall(r"^    \.\w+ = (\w+),$", "\n".join(lines), re.M):
            if (path, name) in own:
                yield own[path, name]


def writes(function):
    return any(not READS.match(function.body, match.start()) for match in WRITES.finditer(function.body)) \
        or re.search(r"(?<!const )\b(?:SessionRankRecord|SessionBreakpoint) \*", function.head)


def find_tainted(functions):
    """{function: what it writes by}: those that write, and their callers up to the door."""
    tainted = {f: None for f in functions if f.name not in DOORS | LIFE and writes(f)}
    n_writers, todo = len(tainted), list(tainted)
    callers = {}
    for function in functions:
        for other in function.calls:
            callers.setdefault(other, set()).add(function)
    while todo:
        function = todo.pop()
        for caller in callers.get(function, ()):
            if caller not in tainted and caller.name not in DOORS | LIFE:
                tainted[caller] = function
                todo.append(caller)
    return tainted, n_writers


def explain(function, tainted):
    names = [function.name]
    while tainted[function] is not None:
        function = tainted[function]
        names.append(function.name)
    return " -> ".join(names)


ENGINE = source.SRC / "engine"
ENGINE_DOOR = ENGINE / "control" / "state.c"
ENGINE_FACTS = re.compile(r"(?<!event)(?<!evaluation)->(?:state|state_number|state_text2?|state_place"
                          r"|suspended(?:\.\w+(?:\[\w+\])?)?) *(?:[-+]?=(?!=)|\+\+|--)|&\w+->suspended\b"
                          r"|&\w+->state_(?:text2?|place)\b|(?:\+\+|--)\w+->suspended")
SPACE_DOOR = ENGINE / "control" / "space.c"
SPACE_FACTS = re.compile(r"\bprocess->space *=(?!=)|&process->space\b|\bspace->\w+|\bstruct _EngineSpace \{")


def list_engine_writers(facts):
    for path in sorted(ENGINE.rglob("*.[ch]")):
        text = source.strip_comments(path.read_text())
        yield from ((path, text.count("\n", 0, match.start()) + 1, match.group())
                    for match in facts.finditer(text))


def check_engine(door, facts, n_usual):
    writers = list(list_engine_writers(facts))
    if len([path for path, _, _ in writers if path == door]) < n_usual:
        yield f"{door}: its writes are not recognised: the rules are out of date"
    yield from (f"{path}:{line}: {text.strip()}: only {door.name} does that"
                for path, line, text in writers if path != door)


# By ENGINE_EACH_MODULE and engine_process_open_image.
MODULES = re.compile(r"\bstack_modules_get(?:_count)? \(|\bstack_module_open_image \(")

# Structures that are known to go before the thread, or hear of its end.
THREAD_KEEPERS = {
    "work.c:_EngineOngoing",                                        # engine_ongoing_forget_thread, handled: as below
    "control/call.c:_EngineCall", "step/motion-private.h:_EngineStep",      # engine_process_drop_thread ends them
    "modules/remains.c:_EngineRemains",                             # its own
    # of a work, which a thread outlives: engine_free_later
    "inspect/inspect.h:EngineNative", "inspect/lock-waits.c:Waiter", "python/evaluation.c:Evaluation",
    "python/locks.c:Waiter", "python/locks.c:KeptOut", "python/talk.c:Talk"}
STRUCT = re.compile(r"^(?:typedef )?struct (\w+)? ?\{\n(.*?)^\}(?: (\w+))?;", re.M | re.S)


def list_thread_keepers():
    for path in sorted(ENGINE.rglob("*.[ch]")):
        for tag, body, name in STRUCT.findall(source.strip_comments(path.read_text())):
            if re.search(r"^ +(?:const )?EngineThread \*", body, re.M):
                yield f"{path.relative_to(ENGINE)}:{name or tag}"


def check_thread_keepers():
    found = set(list_thread_keepers())
    yield from (f"{name}: keeps a pointer to a thread: its number is looked up (engine_process_find_thread), or the "
                "structure goes with the thread" for name in sorted(found - THREAD_KEEPERS))
    yield from (f"{name}: keeps no thread any more" for name in sorted(THREAD_KEEPERS - found))


def main():
    functions, texts = read_functions()
    link(functions)
    tainted, n_writers = find_tainted(functions)
    headers = "\n".join(source.strip_comments(p.read_text()) for p in FOLDER.glob("*.h")
                        if "private" not in p.name)
    called_back = {f for g in functions for f in g.called_back} | set(find_table_entries(functions, texts))
    problems = []
    for function in sorted(tainted, key=lambda f: f.name):
        if not function.is_static and re.search(rf"\b{function.name} \(", headers):
            problems.append(f"{explain(function, tainted)}: everybody may call it")
        if function in called_back:
            problems.append(f"{explain(function, tainted)}: it is called back")
    if n_writers < 15 or not DOORS <= {f.name for f in functions}:
        problems.append(f"only {n_writers} writers are recognised: the rules are out of date")
    source.finish(problems + list(check_engine(ENGINE_DOOR, ENGINE_FACTS, 10))
                  + list(check_engine(SPACE_DOOR, SPACE_FACTS, 30))
                  + list(check_engine(SPACE_DOOR, MODULES, 3)) + list(check_thread_keepers()))


main()
