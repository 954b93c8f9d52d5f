! SPDX-License-Identifier: GPL-3.0-or-later
! A text whose length the compiler keeps in a variable, which optimised code describes by a list of locations; DWARF 4
! puts that list into the text's type. gdb shows the address. The questions are at the end.
program deferred
  implicit none
  character(len=:), allocatable :: text, once
  integer :: n
  n = command_argument_count()
  once = 'said once'
  text = 'deferred text'
  call first(text)
  deallocate(text)
  allocate(character(len=n + 4) :: text)
  text(:) = 'rest'
  call later(text)
  print *, n, text, once
end program deferred
subroutine first(text)
  character(len=*) :: text
  print *, text                                      !@ first
end subroutine first
subroutine later(text)
  character(len=*) :: text
  print *, text                                      !@ later
end subroutine later

!? first^1: text => 'deferred text'
!? first^1: once => 'said once'
!? later^1: text => 'rest'
