# SPDX-License-Identifier: GPL-3.0-or-later
# record.tcl FOLDER EXP: runs one of gdb's own test scripts in a safe interpreter where every procedure of
# its library only writes down what it would have done. One line a record on standard output, fields
# parted by tabs: build PROGRAM FLAGS SOURCE…; load PROGRAM; run; break WHERE; tbreak WHERE; clear; do COMMAND.
# Nothing is run, built or written here: the interpreter has no exec, no open and no source.
lassign $argv folder script
set test [file rootname [file tail $script]]
set objects [dict create]
set asked_lines 0

proc write_record {args} {
    global asked_lines
    if {[incr asked_lines] > 4000} { error "too many records" }
    puts [join [lmap field $args { string map {\\ \\\\ \t \\t \n \\n \r \\n} $field }] \t]
}
proc read_text {path} {
    set file [open $path r]
    fconfigure $file -encoding utf-8
    set text [read $file]
    close $file
    return $text
}
proc find_source {name} {
    global folder
    if {[file exists $name]} { return $name }
    return [file join $folder $name]
}
proc find_line {text {name ""}} {
    global source_name
    if {$name eq ""} { set name [interp eval slave {set ::srcfile}] }
    set number 0
    foreach line [split [read_text [find_source $name]] \n] {
        incr number
        if {[string first $text $line] >= 0} { return $number }
    }
    return -1
}
proc build {program sources flags} {
    global objects folder
    set found {}
    foreach source $sources {
        if {[dict exists $objects [file tail $source]]} {
            lappend found {*}[dict get $objects [file tail $source]]
        } else {
            lappend found [find_source $source]
        }
    }
    write_record build [file tail $program] $flags {*}$found
}
proc compile {sources target kind flags} {
    global objects
    if {$kind eq "object"} {
        dict set objects [file tail $target] [lmap source $sources { find_source $source }]
    } elseif {$kind eq "executable"} {
        build $target $sources $flags
    }
    return ""
}
proc file_of {what args} {
    switch -- $what {
        tail - rootname - extension - dirname - join { return [file $what {*}$args] }
        exists { return [file exists [find_source [lindex $args 0]]] }
    }
    return ""
}
proc limit_time {} { interp limit slave command -value [expr {[interp eval slave {info cmdcount}] + 400000}] }

interp create -safe slave
foreach {name target} {record write_record gdb_get_line_number find_line record_build build
                       gdb_compile compile file file_of} {
    interp alias slave $name {} $target
}
interp eval slave [list set subdir gdb.[lindex [split [file tail $folder] .] 1]]
interp eval slave [list set gdb_test_file_name $test]
interp eval slave [list set folder $folder]
interp eval slave [list set available [lmap path [glob -nocomplain -directory $folder *] { file tail $path }]]
interp eval slave {
    set srcdir [file dirname $folder]; set objdir /nowhere; set gdb_prompt "\\(gdb\\)"; set decimal "\[0-9\]+"
    set hex "0x\[0-9a-f\]+"; set octal "0\[0-7\]+"; set inferior_exited_re "exited"; set timeout 10
    set inferior_spawn_id 0; set gdb_spawn_id 0; set expect_out(buffer) ""; set expect_out(1,string) 0
    set GDBFLAGS ""; set GDB gdb; set INTERNAL_GDBFLAGS ""; set CC_FOR_TARGET gcc; set EXEEXT ""
    set bkptno_num_re {[0-9]+}; set valnum_re {[0-9]+}; set pf_prefix ""; set use_gdb_stub 0; set env(HOME) /
    set gdb_file_cmd_debug_info debug; set verbose 0; set dir_re ""; set language_asked 1
    proc unknown {name args} { return 0 }
    proc require {args} {}
    proc load_lib {args} {}
    proc is_known {name} { expr {[lsearch -exact $::available $name] >= 0} }
    proc standard_testfile {args} {
        upvar #0 testfile testfile binfile binfile
        set testfile $::gdb_test_file_name
        set binfile $testfile
        if {[llength $args] == 0} {
            foreach ending {.c .cc .cpp .f90 .F90 .f .S} {
                if {[is_known $testfile$ending]} { set args [list $ending]; break }
            }
        }
        set number 0
        foreach name $args {
            if {[string index $name 0] eq "."} { set name $testfile$name }
            set variable srcfile[expr {$number ? $number + 1 : ""}]
            set ::$variable $name
            incr number
        }
    }
    proc standard_output_file {name} { return $name }
    proc sources_or {sources} { expr {[llength $sources] ? $sources : [list $::srcfile]} }
    proc build_executable {message program {sources {}} {flags {debug}}} {
        record_build $program [sources_or $sources] $flags
        return 0
    }
    proc prepare_for_testing {message program {sources {}} {flags {debug}}} {
        record_build $program [sources_or $sources] $flags
        record load [file tail $program]
        return 0
    }
    proc build_executable_from_specs {message program options args} {
        set sources {}
        foreach {name flags} $args { lappend sources $name }
        record_build $program $sources $options
        return 0
    }
    proc prepare_for_testing_full {message specs} {
        set sources {}
        foreach {name flags} [lrange $specs 2 end] { lappend sources $name }
        record_build [lindex $specs 0] $sources [lindex $specs 1]
        record load [file tail [lindex $specs 0]]
        return 0
    }
    proc gdb_compile_pthreads {sources target kind flags} {
        gdb_compile $sources $target $kind [concat $flags pthreads]
    }
    proc clean_restart {args} {
        set ::language_asked 1
        record load [expr {[llength $args] ? [file tail [lindex $args 0]] : ""}]
    }
    proc gdb_load {program} { record load [file tail $program]; return 0 }
    proc gdb_file_cmd {program} { record load [file tail $program]; return 0 }
    proc gdb_run_cmd {args} { record run; return 0 }
    proc gdb_start_cmd {args} { record run; return 0 }
    proc runto_main {args} { record main; return 1 }
    proc fortran_runto_main {args} { record main; return 1 }
    proc fortran_main {} { return MAIN__ }
    proc runto {where args} { record runto $where; return 1 }
    proc gdb_breakpoint {where args} {
        record [expr {"temporary" in $args ? "tbreak" : "break"}] $where
        return 1
    }
    proc delete_breakpoints {} { record clear }
    proc gdb_continue_to_breakpoint {args} { record do continue; return 0 }
    proc gdb_continue_to_end {args} {}
    proc do_command {text} {
        foreach line [split $text \n] {
            set line [string trim $line]
            if {[regexp {^set language (.*)$} $line all language]} {
                set ::language_asked [expr {$language in {auto local}}]
            }
            if {$line ne "" && $::language_asked} { record do $line }
        }
    }
    proc gdb_test {args} {
        while {[string match -* [lindex $args 0]]} { set args [lrange $args 1 end] }
        do_command [lindex $args 0]
        return 0
    }
    foreach name {gdb_test_no_output gdb_test_list_exact gdb_test_sequence gdb_test_exact gdb_test_lines
                  gdb_test_stdio gdb_test_multiline} {
        interp alias {} $name {} gdb_test
    }
    proc gdb_test_multiple {command args} { do_command $command; return 0 }
    proc send_gdb {text} { do_command $text }
    proc cp_test_ptype_class {expression args} { do_command "ptype $expression" }
    proc gdb_test_multiple_print {expression args} { do_command "print $expression" }
    proc get_valueof {format expression default args} { do_command "print $expression"; return $default }
    proc get_integer_valueof {expression default args} { do_command "print $expression"; return $default }
    proc get_hexadecimal_valueof {expression default args} { do_command "print $expression"; return $default }
    proc get_sizeof {type default} { do_command "print sizeof ($type)"; return $default }
    proc test_compiler_info {{pattern ""} args} { string match $pattern gcc-12-2-0 }
    proc istarget {args} { expr {![llength $args] || [string match [lindex $args 0] x86_64-pc-linux-gnu]} }
    proc target_info {args} { return 0 }
    proc is_lp64_target {} { return 1 }
    proc is_c_compiler_gcc {} { return 1 }
    proc is_amd64_regs_target {} { return 1 }
    proc is_x86_like_target {} { return 1 }
    proc isnative {} { return 1 }
    proc supports_hashbang {} { return 0 }
    proc support_complex_tests {} { return 1 }
    proc with_test_prefix {prefix body} { uplevel 1 $body }
    proc with_timeout_factor {factor body} { uplevel 1 $body }
    proc save_vars {names body} { uplevel 1 $body }
    proc with_complaints {n body} { uplevel 1 $body }
    proc foreach_with_prefix {name values body} { uplevel 1 [list foreach $name $values $body] }
    proc proc_with_prefix {name arguments body} { uplevel 1 [list proc $name $arguments $body] }
    proc string_to_regexp {text} { return $text }
    proc multi_line {args} { return [join $args " "] }
    proc expect_none {} {}
    proc fortran_int4 {} { return "integer(kind=4)" }
    proc fortran_real4 {} { return "real(kind=4)" }
    proc gcc_major_version {args} { return 12 }
}
limit_time
set status [catch { interp eval slave [read_text $script] } message]
if {$status == 1} { puts stderr "$test: [lindex [split $message \n] 0]" }
