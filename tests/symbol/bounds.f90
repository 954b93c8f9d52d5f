! SPDX-License-Identifier: GPL-3.0-or-later
! Types whose bounds and lengths only the program knows. The questions are at the end.
module parts
  type :: part
    integer :: n
    real, allocatable :: values(:, :)
    integer :: tag(4)
  end type
  type :: holder
    type(part) :: inner
    integer, pointer :: seen(:)
  end type
contains
  subroutine look(shape_of, at, rest, word, fixed)
    integer :: shape_of(:, 0:), at
    integer :: rest(2:3, *)
    character(len=*) :: word
    real :: fixed(at, -1:at)
    shape_of(1, 1) = rest(2, 1) + at
    fixed = 0
    print *, word                                    !@ look
  end subroutine
  subroutine ranked(x)
    integer :: x(..)
    print *, rank(x)                                 !@ ranked
  end subroutine
  subroutine plane(x)
    integer :: x(..)
    print *, rank(x)                                 !@ plane
  end subroutine
  subroutine single(x)
    integer :: x(..)
    print *, rank(x)                                 !@ single
  end subroutine
end module

program bounds
  use parts
  integer, allocatable :: grid(:, :)
  integer, pointer :: alias(:), nowhere(:, :)
  integer, target :: field(6)
  type(holder) :: h
  type(part), allocatable :: many(:)
  character(len=:), allocatable :: text
  integer :: i
  allocate (grid(3, -2:4), h%inner%values(2, 0:5), many(3))
  h%inner%n = 32
  allocate (many(2)%values(7, 1))
  grid = 1
  field = [(i, i = 1, 6)]
  alias => field(2:6:2)
  h%seen => field
  nullify (nowhere)
  text = 'seven..'
  call look(grid, 4, field, text(2:4), h%inner%values(1:1, 0:1))
  call ranked(field(2:6:2))
  call plane(grid(1:2, 0:1))
  call single(field(3))
  call look(grid(1:2, 0:1), 2, field, 'x', h%inner%values)
  print *, grid(1, 1), alias(1), text                !@ main
end program

!? look: ptype shape_of
!? look: whatis shape_of
!? look: ptype rest
!? look: ptype word
!? look: ptype fixed
!? look: ptype shape_of(:, 0)
!? look: whatis shape_of(1:1, :)
!? look: ptype word(1:2)
!? look^1: ptype grid
!? look^1: ptype alias
!? look^1: ptype nowhere
!? look^1: ptype h
!? look^1: ptype h%inner
!? look^1: whatis h%inner%values
!? look^1: ptype h%seen
!? look^1: ptype many
!? look^1: ptype many(2)
!? look^1: ptype many(1)%values
!? look^1: ptype many(2)%values
!? look^1: ptype text => type = character*7
!? look^1: ptype alias(1)@3
!? look^1: ptype field
!? look^1: grid
!? look^1: $(2,4)
!? look^1: ptype $$ => type = integer(kind=4) (3,-2:4)
!? look^1: h%inner%n + 1
!? look^1: $ + $$2(1, 1)
!? look^1: field(2:3)
!? look^1: alias => (2, 4, 6)
!? ranked: x
!? ranked: x(2)
!? ranked: x(1, 2) => <the array has 1 dimension>
!? ranked: x(2:3)
!? ranked: rank(x)
!? ranked: ptype x
!? ranked: size(x)
!? ranked: ubound(x, 1)
!? plane: x
!? plane: x(2, 1)
!? plane: rank(x)
!? plane: size(x, 2)
!? plane: lbound(x) => cannot take lbound of an array of assumed rank: give the dimension
!? single: x
!? single: rank(x)
