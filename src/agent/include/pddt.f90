! SPDX-License-Identifier: GPL-3.0-or-later
! Regions, parameters and metrics of a Fortran program in its pddt trace. Compile this file with the program, or include
! it; it needs no library (with glibc before 2.34: -ldl). Unless pddt --trace runs the program, each call returns.
!
!     use pddt
!     call pddt_region_begin("solve")
!     call pddt_region_end("solve")
!     call pddt_parameter_int("step", step)
!     call pddt_metric("residual", residual, "m")
!     call pddt_disable(); call pddt_enable()
module pddt
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: pddt_region_begin, pddt_region_end, pddt_parameter_int, pddt_parameter_string, pddt_metric, &
            pddt_enable, pddt_disable

  interface
    function find(handle, name) bind(c, name="dlsym")
      import :: c_ptr, c_funptr, c_char
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      type(c_funptr) :: find
    end function
  end interface

  abstract interface
    subroutine begin_region(name, file, line) bind(c)
      import :: c_char, c_ptr, c_int
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), value :: file
      integer(c_int), value :: line
    end subroutine
    subroutine take_name(name) bind(c)
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
    subroutine take_number(name, value) bind(c)
      import :: c_char, c_long_long
      character(kind=c_char), intent(in) :: name(*)
      integer(c_long_long), value :: value
    end subroutine
    subroutine take_text(name, value) bind(c)
      import :: c_char
      character(kind=c_char), intent(in) :: name(*), value(*)
    end subroutine
    subroutine take_metric(name, value, unit) bind(c)
      import :: c_char, c_double
      character(kind=c_char), intent(in) :: name(*), unit(*)
      real(c_double), value :: value
    end subroutine
    subroutine take_switch(is_on) bind(c)
      import :: c_int
      integer(c_int), value :: is_on
    end subroutine
  end interface

  logical, save :: is_looked_up = .false.
  type(c_funptr), save :: functions(6) = c_null_funptr

contains

  logical function has(which)
    integer, intent(in) :: which

    if (.not. is_looked_up) then
      functions(1) = find(c_null_ptr, "pddt_trace_region_begin" // c_null_char)
      functions(2) = find(c_null_ptr, "pddt_trace_region_end" // c_null_char)
      functions(3) = find(c_null_ptr, "pddt_trace_parameter_int" // c_null_char)
      functions(4) = find(c_null_ptr, "pddt_trace_parameter_string" // c_null_char)
      functions(5) = find(c_null_ptr, "pddt_trace_metric" // c_null_char)
      functions(6) = find(c_null_ptr, "pddt_trace_switch" // c_null_char)
      is_looked_up = .true.
    end if
    has = c_associated(functions(which))
  end function

  subroutine pddt_region_begin(name)
    character(len=*), intent(in) :: name
    procedure(begin_region), pointer :: call_it

    if (has(1)) then
      call c_f_procpointer(functions(1), call_it)
      call call_it(trim(name) // c_null_char, c_null_ptr, 0_c_int)
    end if
  end subroutine

  subroutine pddt_region_end(name)
    character(len=*), intent(in) :: name
    procedure(take_name), pointer :: call_it

    if (has(2)) then
      call c_f_procpointer(functions(2), call_it)
      call call_it(trim(name) // c_null_char)
    end if
  end subroutine

  subroutine pddt_parameter_int(name, value)
    character(len=*), intent(in) :: name
    integer, intent(in) :: value
    procedure(take_number), pointer :: call_it

    if (has(3)) then
      call c_f_procpointer(functions(3), call_it)
      call call_it(trim(name) // c_null_char, int(value, c_long_long))
    end if
  end subroutine

  subroutine pddt_parameter_string(name, value)
    character(len=*), intent(in) :: name, value
    procedure(take_text), pointer :: call_it

    if (has(4)) then
      call c_f_procpointer(functions(4), call_it)
      call call_it(trim(name) // c_null_char, trim(value) // c_null_char)
    end if
  end subroutine

  subroutine pddt_metric(name, value, unit)
    character(len=*), intent(in) :: name, unit
    double precision, intent(in) :: value
    procedure(take_metric), pointer :: call_it

    if (has(5)) then
      call c_f_procpointer(functions(5), call_it)
      call call_it(trim(name) // c_null_char, real(value, c_double), trim(unit) // c_null_char)
    end if
  end subroutine

  subroutine pddt_enable()
    call switch_recording(1_c_int)
  end subroutine

  subroutine pddt_disable()
    call switch_recording(0_c_int)
  end subroutine

  subroutine switch_recording(is_on)
    integer(c_int), intent(in) :: is_on
    procedure(take_switch), pointer :: call_it

    if (has(6)) then
      call c_f_procpointer(functions(6), call_it)
      call call_it(is_on)
    end if
  end subroutine
end module pddt
