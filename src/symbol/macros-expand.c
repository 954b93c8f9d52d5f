/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The preprocessor's replacement of macros: C11 6.10.3, with __VA_OPT__ of C23 and what GNU adds. Each token bears the names
 * that it came from and is not replaced by again, as in D. Prosser's algorithm, from which the standard's words were made. */
#include "symbol/macros.h"

#include <glib/gi18n.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

#define MAX_STEPS 200000 /* tokens that are looked at */
#define MAX_LENGTH 2000000
#define MAX_DEPTH 200 /* macros in arguments of macros */
#define VARIABLE "__VA_ARGS__"
#define OPTIONAL "__VA_OPT__"

/* Names, the last added first; shared, never changed. */
typedef struct _Names Names;
struct _Names {
    const char *name;
    const Names *next;
};

typedef struct _Token Token;
struct _Token {
    const char *text;
    const Names *hidden;
    Token *next;
    gboolean is_name, has_space; /* in front of it */
};

typedef struct {
    Token *first, **end;
} List;

typedef struct {
    const char *name;
    const char **parameters;
    guint n_parameters;
    gboolean takes_arguments, takes_more; /* the last one is all that follow */
    const Token *body;
} Macro;

typedef struct {
    const SymbolMacroScope *scope;
    GStringChunk *texts;
    GPtrArray *memory;  /* of what is freed together */
    GHashTable *macros; /* name to Macro; NULL: none */
    guint steps, length;
    GError *error;
} Work;

/* ---- tokens ---- */

static gpointer
allocate (Work *work, gsize size)
{
    gpointer memory = g_malloc0 (size);
    g_ptr_array_add (work->memory, memory);
    return memory;
}

static gboolean
is_letter (char c)
{
    return g_ascii_isalpha (c) || c == '_' || (guint8) c >= 128;
}

gsize
symbol_macros_get_name_length (const char *text)
{
    gsize length = 0;
    while (is_letter (text[length]) || (length > 0 && g_ascii_isdigit (text[length])))
        length++;
    return length;
}

static gsize
get_quoted_length (const char *text)
{
    gsize length = 1;
    while (text[length] && text[length] != text[0])
        length += text[length] == '\\' && text[length + 1] ? 2 : 1;
    return length + (text[length] != 0);
}

/* A number of the preprocessor: "0x1p-3", "1'000". */
static gsize
get_number_length (const char *text)
{
    gsize length = 1;
    for (; text[length]; length++) {
        char before = g_ascii_tolower (text[length - 1]);
        gboolean is_sign = (text[length] == '+' || text[length] == '-')
                           && (before == 'e' || before == 'p')
                           && !(text[0] == '0' && (text[1] | 32) == 'x' && before == 'e');
        if (!is_sign && !is_letter (text[length]) && !g_ascii_isdigit (text[length])
            && text[length] != '.'
            && !(text[length] == '\'' && g_ascii_isalnum (text[length + 1])))
            break;
    }
    return length;
}

static gsize
get_operator_length (const char *text)
{
    static const char *const operators[] = {
        "<<=", ">>=", "...", "->*", "<=>", "##", "->", "++", "--", "<<", ">>", "<=", ">=", "==",
        "!=",  "&&",  "||",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=", "::", ".*"
    };
    return BASE_CHOOSE (i, G_N_ELEMENTS (operators), g_str_has_prefix (text, operators[i]),
                        strlen (operators[i]), 1);
}

/* $NAME, a register or a value of the user's own, is one token and no macro's name. */
static gsize
get_token_length (const char *text, gboolean *ret_is_name)
{
    gsize length = symbol_macros_get_name_length (text);
    *ret_is_name = FALSE;
    if (length > 0 && (text[length] == '"' || text[length] == '\'') && length <= 2
        && strspn (text, "LuU8") == length)
        return length + get_quoted_length (text + length);
    *ret_is_name = length > 0;
    if (length > 0)
        return length;
    if (*text == '"' || *text == '\'')
        return get_quoted_length (text);
    if (g_ascii_isdigit (*text) || (*text == '.' && g_ascii_isdigit (text[1])))
        return get_number_length (text);
    if (*text == '$') {
        for (length = 1;
             is_letter (text[length]) || g_ascii_isdigit (text[length]) || text[length] == '$';)
            length++;
        return length;
    }
    return get_operator_length (text);
}

static void
begin_list (List *list)
{
    list->first = NULL;
    list->end = &list->first;
}

static Token *
append (Work *work, List *list, const Token *from)
{
    Token *token = allocate (work, sizeof *token);
    *token = *from;
    token->next = NULL;
    *list->end = token;
    list->end = &token->next;
    return token;
}

static Token *
read_tokens (Work *work, const char *text)
{
    List list;
    begin_list (&list);
    for (gboolean has_space = FALSE; *text;) {
        Token token = { .has_space = has_space };
        if (g_ascii_isspace (*text)) {
            has_space = TRUE;
            text++;
            continue;
        }
        gsize length = get_token_length (text, &token.is_name);
        token.text = g_string_chunk_insert_len (work->texts, text, (gssize) length);
        append (work, &list, &token);
        text += length;
        has_space = FALSE;
    }
    return list.first;
}

static gboolean
is_text (const Token *token, const char *text)
{
    return token && strcmp (token->text, text) == 0;
}

/* ---- names that are not replaced again ---- */

static gboolean
has_name (const Names *names, const char *name)
{
    for (; names; names = names->next)
        if (strcmp (names->name, name) == 0)
            return TRUE;
    return FALSE;
}

static const Names *
add_name (Work *work, const Names *names, const char *name)
{
    if (has_name (names, name))
        return names;
    Names *more = allocate (work, sizeof *more);
    *more = (Names){ name, names };
    return more;
}

static const Names *
join (Work *work, const Names *names, const Names *others)
{
    for (; others && others != names; others = others->next)
        names = add_name (work, names, others->name);
    return names;
}

static const Names *
intersect (Work *work, const Names *names, const Names *others)
{
    const Names *both = NULL;
    if (names == others)
        return names;
    for (; names; names = names->next)
        if (has_name (others, names->name))
            both = add_name (work, both, names->name);
    return both;
}

/* ---- macros ---- */

static void fail (Work *work, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
fail (Work *work, const char *format, ...)
{
    va_list arguments;
    if (work->error)
        return;
    va_start (arguments, format);
    base_error_set_valist (&work->error, BASE_ERROR_INVALID, format, arguments);
    va_end (arguments);
}

/* "A,B,..." or "rest..." up to its bracket; behind it. */
static const char *
read_parameters (Work *work, Macro *macro, const char *text)
{
    g_autoptr (GPtrArray) names = g_ptr_array_new ();
    while (*text && *text != ')') {
        gsize length = symbol_macros_get_name_length (text);
        if (length > 0)
            g_ptr_array_add (names,
                             g_string_chunk_insert_len (work->texts, text, (gssize) length));
        text += length;
        if (g_str_has_prefix (text, "...")) {
            macro->takes_more = TRUE;
            if (length == 0)
                g_ptr_array_add (names, (gpointer) VARIABLE);
            text += 3;
        }
        text += strcspn (text, ",)") + (text[strcspn (text, ",)")] == ',');
        while (*text == ' ')
            text++;
    }
    macro->n_parameters = names->len;
    macro->parameters = allocate (work, sizeof (char *) * (names->len + 1));
    for (guint i = 0; i < names->len; i++)
        macro->parameters[i] = g_ptr_array_index (names, i);
    return *text ? text + 1 : text;
}

static const Macro *
find_macro (Work *work, const char *name)
{
    gpointer known;
    if (g_hash_table_lookup_extended (work->macros, name, NULL, &known))
        return known;
    const char *text = work->scope->find (name, work->scope->user);
    Macro *macro = NULL;
    if (text) {
        macro = allocate (work, sizeof *macro);
        macro->name = name;
        text += symbol_macros_get_name_length (text);
        macro->takes_arguments = *text == '(';
        if (macro->takes_arguments)
            text = read_parameters (work, macro, text + 1);
        macro->body = read_tokens (work, text);
    }
    g_hash_table_insert (work->macros, (gpointer) name, macro);
    return macro;
}

static guint
find_parameter (const Macro *macro, const Token *token)
{
    guint i = 0;
    while (i < macro->n_parameters
           && (!token || !token->is_name || strcmp (macro->parameters[i], token->text) != 0))
        i++;
    return i;
}

static const Token *expand (Work *work, Token *tokens, guint depth);

/* One argument's tokens, behind which *at stands then. FALSE: no bracket closes. */
static gboolean
take_argument (Work *work, Token **at, gboolean is_rest, List *list)
{
    begin_list (list);
    for (guint level = 0; *at; *at = (*at)->next) {
        if (level == 0 && (is_text (*at, ")") || (!is_rest && is_text (*at, ","))))
            return TRUE;
        level += is_text (*at, "(");
        level -= is_text (*at, ")");
        append (work, list, *at);
    }
    return FALSE;
}

/* From the bracket on, which `at` is; behind it *ret_close, which closes. NULL: there are other arguments than the macro
 * takes. */
static List *
take_arguments (Work *work, const Macro *macro, Token *at, Token **ret_close)
{
    List *arguments = allocate (work, sizeof (List) * (macro->n_parameters + 1));
    guint n = 0;
    at = at->next;
    for (;;) {
        List list;
        gboolean is_rest = macro->takes_more && n + 1 >= macro->n_parameters;
        if (!take_argument (work, &at, is_rest, &list)) {
            fail (work, "cannot expand %s: \")\" is missing behind its arguments", macro->name);
            return NULL;
        }
        if (n < macro->n_parameters)
            arguments[n] = list;
        n += n < macro->n_parameters || list.first || is_text (at, ",");
        if (is_text (at, ")"))
            break;
        at = at->next;
    }
    *ret_close = at;
    if (n > macro->n_parameters || n + macro->takes_more < macro->n_parameters) {
        fail (work,
              macro->n_parameters == 1 ? N_ ("cannot expand %s: it takes %u argument, not %u")
                                       : N_ ("cannot expand %s: it takes %u arguments, not %u"),
              macro->name, macro->n_parameters, n);
        return NULL;
    }
    for (; n < macro->n_parameters; n++)
        begin_list (&arguments[n]);
    return arguments;
}

/* ---- what a macro becomes ---- */

/* The tokens as a text in quotes. */
static Token
quote (Work *work, const Token *tokens)
{
    g_autoptr (GString) text = g_string_new ("\"");
    for (const Token *at = tokens; at; at = at->next) {
        gboolean is_quoted = strpbrk (at->text, "\"'") != NULL;
        g_string_append (text, at != tokens && at->has_space ? " " : "");
        for (const char *c = at->text; *c; c++) {
            if (is_quoted && (*c == '"' || *c == '\\'))
                g_string_append_c (text, '\\');
            g_string_append_c (text, *c);
        }
    }
    g_string_append_c (text, '"');
    return (Token){ .text = g_string_chunk_insert (work->texts, text->str) };
}

/* The last token and the first of the others become one; more than one if that is none. */
static void
glue (Work *work, List *list, Token *last, const Token *first)
{
    g_autofree char *both = g_strconcat (last->text, first->text, NULL);
    gboolean is_name;
    gsize length = get_token_length (both, &is_name);
    if (both[length]) {
        append (work, list, first);
        return;
    }
    last->text = g_string_chunk_insert (work->texts, both);
    last->is_name = is_name;
    last->hidden = intersect (work, last->hidden, first->hidden);
}

typedef struct {
    Work *work;
    const Macro *macro;
    const List *arguments;
    guint depth;
} Call;

static Token *
get_last (List *list)
{
    return list->first
               ? (Token *) (gpointer) ((char *) list->end - G_STRUCT_OFFSET (Token, next))
               : NULL;
}

static void
append_all (Work *work, List *list, const Token *tokens, gboolean has_space)
{
    for (const Token *at = tokens; at; at = at->next) {
        Token *token = append (work, list, at);
        token->has_space = at == tokens ? has_space : at->has_space;
    }
}

/* Behind ##: onto what stands there, if anything does. */
static void
glue_all (Work *work, List *list, gboolean has_left, const Token *tokens)
{
    Token *last = has_left ? get_last (list) : NULL;
    if (last && tokens) {
        glue (work, list, last, tokens);
        tokens = tokens->next;
    }
    append_all (work, list, tokens, !last);
}

static void replace_body (const Call *call, const Token *from, const Token *end, List *list);

/* The content of __VA_OPT__ ( … ), if there are further arguments. Returns its closing bracket. */
static const Token *
replace_optional (const Call *call, const Token *open, List *list)
{
    guint level = 0;
    const Token *close = open;
    for (; close; close = close->next) {
        level += is_text (close, "(");
        level -= is_text (close, ")");
        if (level == 0)
            break;
    }
    if (call->macro->n_parameters > 0 && call->arguments[call->macro->n_parameters - 1].first)
        replace_body (call, open->next, close, list);
    return close;
}

/* Where ## stands to its right the argument is taken as it is; expanded elsewhere. */
static void
replace_parameter (const Call *call, guint number, const Token *at, gboolean is_glued,
                   gboolean has_left, List *list)
{
    Work *work = call->work;
    const Token *tokens = call->arguments[number].first;
    if (is_glued) {
        Token *last = get_last (list);
        gboolean is_rest = call->macro->takes_more && number + 1 == call->macro->n_parameters;
        if (is_rest && has_left && is_text (last, ",")) {
            /* GNU: the comma goes when nothing follows it, and is not glued */
            if (tokens)
                append_all (work, list,
                            expand (work, (Token *) (gpointer) tokens, call->depth + 1),
                            at->has_space);
            else
                last->text = "";
            return;
        }
        glue_all (work, list, has_left, tokens);
        return;
    }
    if (is_text (at->next, "##")) {
        append_all (work, list, tokens, at->has_space);
        return;
    }
    List copy;
    begin_list (&copy);
    append_all (work, &copy, tokens, FALSE);
    append_all (work, list,
                work->scope->once ? copy.first : expand (work, copy.first, call->depth + 1),
                at->has_space);
}

static void
replace_body (const Call *call, const Token *from, const Token *end, List *list)
{
    const Macro *macro = call->macro;
    gboolean is_glued = FALSE,
             has_left = FALSE; /* ## is in front, with something to its left */
    for (const Token *at = from; at && at != end && !call->work->error; at = at->next) {
        guint number = find_parameter (macro, at);
        Token **before = list->end;
        if (is_text (at, "##") && at != macro->body && at->next) {
            is_glued = TRUE;
            continue;
        }
        if (macro->takes_arguments && is_text (at, "#")
            && find_parameter (macro, at->next) < macro->n_parameters) {
            at = at->next;
            Token text = quote (call->work, call->arguments[find_parameter (macro, at)].first);
            glue_all (call->work, list, is_glued && has_left, &text);
        } else if (macro->takes_more && is_text (at, OPTIONAL) && is_text (at->next, "(")) {
            at = replace_optional (call, at->next, list);
            if (!at)
                return;
        } else if (number < macro->n_parameters) {
            replace_parameter (call, number, at, is_glued, has_left, list);
        } else if (is_glued) {
            Token alone = *at;
            alone.next = NULL;
            glue_all (call->work, list, has_left, &alone);
        } else {
            append (call->work, list, at);
        }
        has_left = list->end != before || (is_glued && has_left);
        is_glued = FALSE;
    }
}

/* What stands for the macro, in front of what follows it. */
static Token *
replace (Work *work, const Macro *macro, const Token *name, const List *arguments,
         const Names *hidden, Token *rest, guint depth)
{
    Call call = { work, macro, arguments, depth };
    List list;
    begin_list (&list);
    replace_body (&call, macro->body, NULL, &list);
    if (list.first)
        list.first->has_space = name->has_space;
    else if (rest)
        rest->has_space |= name->has_space;
    for (Token *token = list.first; token; token = token->next)
        token->hidden = join (work, token->hidden, hidden);
    *list.end = rest;
    return list.first;
}

/* What stands for the macro at `at`, in front of the rest. FALSE: it is none, or is not called. */
static gboolean
try_replace (Work *work, Token *at, guint depth, Token **ret_tokens, Token **ret_rest)
{
    const Macro *macro = at->is_name && !has_name (at->hidden, at->text)
                             ? find_macro (work, at->text)
                             : NULL;
    Token *close = at;
    List *arguments = NULL;
    if (!macro || (macro->takes_arguments && !is_text (at->next, "(")))
        return FALSE;
    const Names *hidden = at->hidden;
    if (macro->takes_arguments) {
        arguments = take_arguments (work, macro, at->next, &close);
        if (!arguments)
            return FALSE;
        hidden = intersect (work, at->hidden, close->hidden);
    }
    *ret_rest = close->next;
    *ret_tokens = replace (work, macro, at, arguments, add_name (work, hidden, macro->name),
                           close->next, depth);
    return TRUE;
}

static const Token *
expand (Work *work, Token *tokens, guint depth)
{
    List list;
    begin_list (&list);
    if (depth > MAX_DEPTH)
        fail (work, "cannot expand the macros: they lie too deep within each other");
    for (Token *at = tokens; at && !work->error;) {
        Token *replaced, *rest;
        work->length += (guint) strlen (at->text);
        if (++work->steps > MAX_STEPS || work->length > MAX_LENGTH) {
            fail (work, "cannot expand the macros: what they become is too long");
        } else if (try_replace (work, at, depth, &replaced, &rest)) {
            at = replaced;
            for (Token *of = replaced; work->scope->once && of && of != rest; of = of->next)
                of->is_name = FALSE;
        } else {
            append (work, &list, at);
            at = at->next;
        }
    }
    return list.first;
}

/* ---- the text ---- */

/* Without a space both would be read as another token. */
static gboolean
needs_space (const Token *before, const Token *token)
{
    g_autofree char *both = g_strconcat (before->text, token->text, NULL);
    gboolean is_name;
    return *before->text && *token->text
           && get_token_length (both, &is_name) != strlen (before->text);
}

static char *
write_tokens (const Token *tokens)
{
    g_autoptr (GString) text = g_string_new (NULL);
    const Token *before = NULL;
    for (const Token *at = tokens; at; at = at->next) {
        if (!*at->text)
            continue;
        if (before && (at->has_space || needs_space (before, at)))
            g_string_append_c (text, ' ');
        g_string_append (text, at->text);
        before = at;
    }
    return g_string_free (g_steal_pointer (&text), FALSE);
}

char *
symbol_macros_expand (const SymbolMacroScope *scope, const char *text, GError **error)
{
    Work work = { .scope = scope,
                  .texts = g_string_chunk_new (1024),
                  .memory = g_ptr_array_new_with_free_func (g_free) };
    work.macros = g_hash_table_new (g_str_hash, g_str_equal);
    const Token *tokens = expand (&work, read_tokens (&work, text), 0);
    char *expanded = work.error ? NULL : write_tokens (tokens);
    if (work.error)
        g_propagate_error (error, work.error);
    g_hash_table_unref (work.macros);
    g_ptr_array_unref (work.memory);
    g_string_chunk_free (work.texts);
    return expanded;
}
