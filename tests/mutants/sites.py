"""Places of the C++ sources where a small mistake can be made by rule.

libclang says where expressions begin and end and what they are; the text
between says the rest. A place whose text is not as expected (it comes from a
macro, the compiler made it up, the preprocessor cuts it) is left out, as is
what only the compiler evaluates.
"""

import dataclasses
import re
from pathlib import Path

from clang import cindex
from clang.cindex import CursorKind as K
from clang.cindex import TypeKind as T

RELATIONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=",
             "!=": "=="}
ARITHMETIC = {"+": "-", "-": "+", "*": "+", "/": "*", "%": "*", "<<": ">>",
              ">>": "<<", "&": "|", "|": "&", "^": "&"}
ASSIGNMENTS = {f"{old}=": f"{new}=" for old, new in ARITHMETIC.items()}
SWAPPED_CALLS = {"std::min": "std::max", "std::max": "std::min"}
NUMBER = re.compile(r"(0[xX][0-9a-fA-F']+|0[bB][01']+|[0-9][0-9']*)[uUlLzZ]*")
FRACTION = re.compile(r"[0-9.]+(e-?[0-9]+)?f?")
MACRO = re.compile(rb"\b(assert|[A-Z][A-Z0-9_]{3,})\b(\s*\()?")
CONSTANT = re.compile(r"([\w]+::)*k[A-Z]\w*")

FUNCTIONS = {K.FUNCTION_DECL, K.CXX_METHOD, K.CONSTRUCTOR, K.DESTRUCTOR,
             K.CONVERSION_FUNCTION, K.FUNCTION_TEMPLATE}
SCOPES = {K.NAMESPACE, K.CLASS_DECL, K.STRUCT_DECL, K.CLASS_TEMPLATE,
          K.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION, K.UNEXPOSED_DECL,
          K.LINKAGE_SPEC}
NEVER_RUN = {K.STATIC_ASSERT, K.ENUM_DECL, K.TYPE_ALIAS_DECL, K.DECL_REF_EXPR,
             K.TYPE_REF, K.TEMPLATE_REF, K.PARM_DECL}
ADDABLE = {T.INT, T.UINT, T.LONG, T.ULONG, T.LONGLONG, T.ULONGLONG, T.SHORT,
           T.USHORT, T.CHAR_S, T.SCHAR, T.UCHAR}
NUMERIC = ADDABLE | {T.FLOAT, T.DOUBLE, T.POINTER, T.DEPENDENT}


@dataclasses.dataclass
class Mutant:
    """One way to change a site. `form` says how it is written out."""
    rule: str
    new: str
    name: str = ""
    number: int = -1


@dataclasses.dataclass
class Site:
    """A piece of a file; `holes` are its parts in which other sites may lie."""
    file: str
    begin: int
    end: int
    line: int
    function: str
    form: str
    holes: list
    mutants: list
    in_constexpr: bool = False


class Finder:
    """The sites of one file of a translation unit."""

    def __init__(self, file, text, macros):
        self.file = file
        self.text = text  # bytes: libclang counts those
        self.macros = macros
        self.sites = {}
        self.function = ""
        self.in_constexpr = False

    def slice(self, begin, end):
        return self.text[begin:end].decode()

    def extent(self, cursor):
        return cursor.extent.start.offset, cursor.extent.end.offset

    def before(self, offset):
        return self.text[:offset].rstrip()[-1:].decode(errors="replace")

    def after(self, offset):
        return self.text[offset:offset + 200].lstrip()[:1].decode(
            errors="replace")

    def is_usable(self, begin, end):
        if begin >= end or re.search(rb"\n\s*#", self.text[begin:end]):
            return False
        if b'"' in self.text[begin:end] and b"//" in self.text[begin:end]:
            return False
        return not any(b < end and begin < e and not (begin <= b and e <= end)
                       or b <= begin < e or b < end <= e
                       for b, e in self.macros)

    def add(self, begin, end, form, holes, mutants):
        if not mutants or not self.is_usable(begin, end):
            return
        self.sites.setdefault((begin, end, form), Site(
            self.file, begin, end, self.text.count(b"\n", 0, begin) + 1,
            self.function, form, holes,
            [Mutant(rule, new) for rule, new in mutants], self.in_constexpr))

    # --- What is found at one cursor.

    def visit_function(self, cursor):
        begin, end = self.extent(cursor)
        parent = cursor.semantic_parent
        outer = self.function, self.in_constexpr
        self.function = cursor.spelling.partition("<")[0]
        if parent is not None and parent.kind in SCOPES - {K.NAMESPACE}:
            self.function = f"{parent.spelling}::{self.function}"
        head = self.slice(begin, cursor.location.offset)
        self.in_constexpr = bool(re.search(r"\bconst(expr|eval)\b", head))
        for child in cursor.get_children():
            if child.kind == K.COMPOUND_STMT or child.kind.is_expression():
                self.visit(child)
        self.function, self.in_constexpr = outer

    def visit_variable(self, cursor):
        begin, end = self.extent(cursor)
        head = self.slice(begin, cursor.location.offset)
        children = list(cursor.get_children())
        if not children or re.search(r"\bconst(expr|init)\b", head):
            return
        value = children[-1]
        tail = self.slice(cursor.location.offset, self.extent(value)[0])
        is_whole = self.extent(value)[1] == end
        if value.kind.is_expression() and is_whole and (
                "=" in tail or value.kind != K.INTEGER_LITERAL):
            self.visit(value)

    def visit_binary(self, cursor):
        children = list(cursor.get_children())
        if len(children) != 2:
            return
        left, right = map(self.extent, children)
        begin, end = self.extent(cursor)
        if left[0] != begin or right[1] != end or left[1] > right[0]:
            return
        operator = self.slice(left[1], right[0]).strip()
        kinds = [child.type.get_canonical().kind for child in children]
        holes = [left, right]
        if operator in ("&&", "||"):
            self.add(begin, end, operator, holes,
                     [("condition dropped", "left"),
                      ("condition dropped", "right")])
        elif operator in RELATIONS:
            self.add(begin, end, operator, holes,
                     [("relation", RELATIONS[operator])])
        elif all(kind in NUMERIC or kind == T.ENUM for kind in kinds):
            both = kinds[0] == kinds[1] == T.POINTER
            table = (ASSIGNMENTS if operator in ASSIGNMENTS else ARITHMETIC)
            if operator in table and not both:
                self.add(begin, end, operator, holes,
                         [("arithmetic", table[operator])])

    def visit_literal(self, cursor):
        begin, end = self.extent(cursor)
        text = self.slice(begin, end)
        if cursor.kind == K.CXX_BOOL_LITERAL_EXPR and text in ("true", "false"):
            self.add(begin, end, "literal", [], [("constant", "!" + text)])
        elif cursor.kind == K.FLOATING_LITERAL and FRACTION.fullmatch(text):
            self.add(begin, end, "literal", [], [("constant", f"2 * {text}")])
        elif cursor.kind == K.CHARACTER_LITERAL and text[:1] == "'":
            self.add(begin, end, "literal", [],
                     [("constant", f"static_cast<char>({text} + 1)")])
        elif ((cursor.kind == K.INTEGER_LITERAL and NUMBER.fullmatch(text))
              or cursor.kind == K.DECL_REF_EXPR):
            mutants = [("off by one", f"{text} + 1")]
            if not re.fullmatch(r"0[uUlLzZ]*", text):
                mutants.append(("off by one", f"{text} - 1"))
            self.add(begin, end, "literal", [], mutants)

    def visit_condition(self, cursor, child, is_loop):
        """What is between the parentheses of an if or a loop."""
        begin, end = self.extent(child)
        ends = {"(": ")", ";": ";)"}.get(self.before(begin), "-")
        opening = self.text[:begin].rstrip()
        if cursor.kind == K.CONDITIONAL_OPERATOR:
            ends = "?"
        if self.after(end) not in tuple(ends) or opening.endswith(b"constexpr"):
            return
        mutants = [("condition", "false")]
        if not is_loop:
            mutants.insert(0, ("condition", "true"))
        self.add(begin, end, "whole", [(begin, end)], mutants)

    def visit_statement(self, cursor):
        """An expression that is a statement: it may be left out."""
        begin, end = self.extent(cursor)
        text = self.slice(begin, end)
        if self.after(end) != ";" or text.startswith(("co_", "throw")):
            return
        self.add(begin, end, "dropped", [(begin, end)],
                 [("statement dropped", "")])

    def visit_return(self, cursor, child):
        begin, end = self.extent(child)
        kind = child.type.get_canonical().kind
        if self.after(end) != ";":
            return
        if child.kind in (K.INTEGER_LITERAL, K.CXX_BOOL_LITERAL_EXPR):
            return
        if kind == T.BOOL:
            self.add(begin, end, "whole", [(begin, end)],
                     [("returned", "true"), ("returned", "false")])
        elif kind in ADDABLE:
            self.add(begin, end, "off by one", [(begin, end)],
                     [("returned", "+ 1")])

    def visit_call(self, cursor):
        begin, end = self.extent(cursor)
        text = self.slice(begin, end)
        for old, new in SWAPPED_CALLS.items():
            rest = text[len(old):]
            if text.startswith(old) and rest[:1] in ("(", "<"):
                self.add(begin, end, "callee", [(begin + len(old), end)],
                         [("swapped", f"{old} {new}")])

    def visit(self, cursor):
        kind = cursor.kind
        if kind in FUNCTIONS:
            return self.visit_function(cursor)
        if kind in (K.VAR_DECL, K.FIELD_DECL):
            return self.visit_variable(cursor)
        if kind == K.DECL_REF_EXPR:
            begin, end = self.extent(cursor)
            is_number = cursor.type.get_canonical().kind in ADDABLE
            if is_number and CONSTANT.fullmatch(self.slice(begin, end)):
                self.visit_literal(cursor)
            return None
        if kind in NEVER_RUN:
            return None
        children = list(cursor.get_children())
        if kind == K.CASE_STMT:
            children = children[1:]
        elif kind == K.MEMBER_REF_EXPR:
            # Not the arguments of a template.
            children = [child for child in children
                        if self.extent(child)[1] <= cursor.location.offset]
        elif kind == K.CXX_UNARY_EXPR or kind == K.SIZE_OF_PACK_EXPR:
            return None
        elif kind in (K.BINARY_OPERATOR, K.COMPOUND_ASSIGNMENT_OPERATOR):
            self.visit_binary(cursor)
        elif kind == K.CALL_EXPR:
            self.visit_call(cursor)
        elif kind == K.RETURN_STMT and children:
            self.visit_return(cursor, children[0])
        elif kind in (K.INTEGER_LITERAL, K.FLOATING_LITERAL,
                      K.CHARACTER_LITERAL, K.CXX_BOOL_LITERAL_EXPR):
            return self.visit_literal(cursor)
        self.visit_parts(cursor, children)
        for child in children:
            self.visit(child)
        return None

    def visit_parts(self, cursor, children):
        """What a statement makes of its parts."""
        kind = cursor.kind
        loops = (K.WHILE_STMT, K.DO_STMT, K.FOR_STMT)
        if kind == K.CONDITIONAL_OPERATOR:
            self.visit_condition(cursor, children[0], False)
        elif kind == K.IF_STMT or kind in loops:
            for child in children:
                if child.kind.is_expression():
                    self.visit_condition(cursor, child, kind in loops)
        bodies = {K.COMPOUND_STMT: children, K.IF_STMT: children,
                  K.CASE_STMT: children, K.DEFAULT_STMT: children,
                  K.DO_STMT: children[:1], K.WHILE_STMT: children[-1:],
                  K.FOR_STMT: children[-1:],
                  K.CXX_FOR_RANGE_STMT: children[-1:]}
        for child in bodies.get(kind, []):
            if child.kind.is_expression():
                self.visit_statement(child)


def macro_uses(text):
    """Where macros are used, by how ours are written."""
    found = set()
    for match in MACRO.finditer(text):
        end, depth = match.end(), match[0].endswith(b"(")
        while depth and end < len(text):
            depth += {b"(": 1, b")": -1}.get(text[end:end + 1], 0)
            end += 1
        found.add((match.start(), end))
    return found


def parse(root, sources, arguments):
    """All sources as one, which takes a tenth of the time, or one by one."""
    index = cindex.Index.create()
    whole = "".join(f'#include "{source}"\n' for source in sources)
    name = str(root / "all_sources.cc")
    for files, unsaved in [([name], [(name, whole)]), (sources, [])]:
        units = [index.parse(str(root / file), args=arguments,
                             unsaved_files=unsaved) for file in files]
        wrong = [d for unit in units for d in unit.diagnostics
                 if d.severity >= cindex.Diagnostic.Error
                 # What each file keeps to itself may have the same name.
                 and "redefinition" not in d.spelling]
        if not wrong:
            return units
        print(f"not as one: {wrong[0]}", flush=True)
    raise SystemExit(f"{wrong[0]} does not parse")


def find_sites(root, sources, folders, arguments):
    """The sites in the files of these folders that the sources include."""
    finders = {}
    for unit in parse(root, sources, arguments):
        new = {}
        for cursor in unit.cursor.get_children():
            if cursor.kind not in SCOPES | FUNCTIONS:
                continue
            file = cursor.location.file
            path = Path(file.name) if file else Path()
            if not path.is_relative_to(root):
                continue
            name = path.relative_to(root).as_posix()
            if name.rpartition("/")[0] in folders and name not in finders:
                if name not in new:
                    text = path.read_bytes()
                    new[name] = Finder(name, text, macro_uses(text))
                visit_scope(new[name], cursor)
        finders |= new
    return {name: sorted(finder.sites.values(), key=outermost_first)
            for name, finder in finders.items()}


def outermost_first(site):
    return (site.begin, -site.end, site.form != "dropped",
            site.form not in ("whole", "off by one"))


def visit_scope(finder, cursor):
    if cursor.kind not in SCOPES:
        if cursor.kind in FUNCTIONS or cursor.kind == K.FIELD_DECL:
            finder.visit(cursor)
        return
    for child in cursor.get_children():
        visit_scope(finder, child)
