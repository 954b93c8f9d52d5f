! SPDX-License-Identifier: GPL-3.0-or-later
! Files of Fortran, as native-streams.c has the streams of C. Standard input: words.
program native_streams
  implicit none
  character(len=4096) :: folder, word
  integer :: i, unit, status, n_read, n_input

  call get_command_argument(1, folder)
  open(newunit=unit, file=trim(folder) // '/fortran', action='write')
  do i = 1, 3000
    write(unit, '(A,I6)') 'line ', i
  end do
  close(unit)
  n_read = 0
  open(newunit=unit, file=trim(folder) // '/fortran', action='read')
  do
    read(unit, '(A)', iostat=status) word
    if (status /= 0) exit
    n_read = n_read + 12
  end do
  close(unit)
  n_input = 0
  do
    read(*, '(A)', iostat=status) word
    if (status /= 0) exit
    n_input = n_input + len_trim(word) + 1
  end do
  write(*, '(A)') 'done'
  write(0, '(A,I0,A,I0)') 'bytes fortran ', n_read, ' ', 36000
  write(0, '(A,I0,A)') 'bytes standard_input ', n_input, ' 0'
  write(0, '(A)') 'bytes standard_output 0 5'
  call flush(0)
  call exit(7)
end program
