# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls back through machine code that has no unwind information and keeps no frame pointer."""
import ctypes
import mmap
import os
import sys

Callback = ctypes.CFUNCTYPE(None)
CODE = bytes([
    0x55,                                       # push %rbp
    0x48, 0x81, 0xec, 0x30, 0x12, 0x00, 0x00,   # sub $0x1230,%rsp
    0x31, 0xed,                                 # xor %ebp,%ebp
    0xff, 0xd7,                                 # call *%rdi
    0x48, 0x81, 0xc4, 0x30, 0x12, 0x00, 0x00,   # add $0x1230,%rsp
    0x5d,                                       # pop %rbp
    0xc3,                                       # ret
])


def block():
    sys.stdout.write("end\n")
    sys.stdout.flush(); os.read(0, 1)


def callback():
    block()


def through(function):
    function(Callback(callback))


def outer():
    memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(CODE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    through(ctypes.CFUNCTYPE(None, Callback)(address))


outer()
