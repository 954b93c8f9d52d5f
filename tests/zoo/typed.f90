! SPDX-License-Identifier: GPL-3.0-or-later
! Messages of another type than is received, by both of Fortran's ways into MPI, and right ones between them.
program typed
  use mpi
  implicit none
  integer :: rank, ierr, numbers(8), column
  double precision :: values(4)

  call MPI_Init (ierr)
  call MPI_Comm_rank (MPI_COMM_WORLD, rank, ierr)
  values = 1
  numbers = 1
  call MPI_Type_vector (4, 1, 2, MPI_INTEGER, column, ierr) !@ kept
  call MPI_Type_commit (column, ierr)
  if (rank == 0) then
    call MPI_Send (values, 4, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, ierr) !@ send
    call MPI_Send (numbers, 1, column, 1, 2, MPI_COMM_WORLD, ierr)
  else
    call MPI_Recv (numbers, 8, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr) !@ receive
    call MPI_Recv (numbers, 4, MPI_INTEGER, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end if
  call pass (rank)
  call MPI_Finalize (ierr)
contains
  subroutine pass (rank)
    use mpi_f08
    integer, intent (in) :: rank
    real :: values(4)
    complex :: pair(2)
    integer :: numbers(4)
    type (MPI_Request) :: request

    values = 1
    pair = (1, 2)
    if (rank == 0) then
      call MPI_Isend (values, 4, MPI_REAL, 1, 3, MPI_COMM_WORLD, request) !@ modern-send
      call MPI_Wait (request, MPI_STATUS_IGNORE)
      call MPI_Send (pair, 2, MPI_COMPLEX, 1, 4, MPI_COMM_WORLD)
    else
      call MPI_Recv (numbers, 4, MPI_INTEGER, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE) !@ modern-receive
      call MPI_Recv (values, 4, MPI_REAL, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    end if
  end subroutine pass
end program typed
