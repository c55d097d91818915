# Boot sector of a guest disk. It proves that the machine reads and writes the
# disk it was booted from, and tells so on COM2 (COM1 carries the screen):
#
#   GUEST <text of sector 1> boot <number of this boot, kept in sector 2>
#
# Then it reads the disk once a second, since a live session is one that moves,
# and tells when that starts to fail or works again.

.code16
.set COM2, 0x2f8
.set TEXT, 0x8000               # sector 1 is read to here
.set COUNT, 0x8200              # sector 2

.globl _start
_start:
        xor     %ax, %ax
        mov     %ax, %ds
        mov     %ax, %es
        mov     %ax, %ss
        mov     $0x7c00, %sp
        cld
        ljmp    $0, $main       # some firmware starts at 07c0:0000
main:
        sti
        mov     %dl, drive
        mov     $COM2 + 3, %dx  # eight bits, no parity
        mov     $3, %al
        out     %al, %dx

        mov     $1, %al
        mov     $TEXT, %bx
        call    read
        jc      refused
        mov     $2, %al
        mov     $COUNT, %bx
        call    read
        jc      refused
        incl    COUNT
        mov     $2, %al
        call    write
        jc      refused

        mov     $hello, %si
        call    print
        mov     $TEXT, %si
        call    print
        mov     $boot, %si
        call    print
        mov     COUNT, %eax
        call    number
        mov     $newline, %si
        call    print
        xor     %bp, %bp        # 0: the last read worked
watch:
        mov     0x46c, %eax     # the BIOS counts 18.2 ticks a second here
        add     $18, %eax
tick:
        sti                     # iPXE's INT 13h returns with interrupts off
        hlt
        cmp     %eax, 0x46c
        jb      tick
        mov     $1, %al
        mov     $TEXT, %bx
        call    read
        sbb     %di, %di        # -1 after a failure
        cmp     %di, %bp
        je      watch
        mov     %di, %bp
        mov     $back, %si
        test    %di, %di
        jz      1f
        mov     $lost, %si
1:      call    print
        jmp     watch

refused:
        mov     $cannot, %si
        call    print
        mov     $lost, %si
        call    print
1:      hlt
        jmp     1b

# read, write: sector %al from or to 0:%bx; carry is set on failure.
read:
        mov     $0x42, %ah
        jmp     1f
write:
        mov     $0x43, %ah
1:      movzbw  %al, %cx
        mov     %cx, packet + 8
        mov     %bx, packet + 4
        movw    $1, packet + 2  # a short transfer overwrites the count
        mov     $packet, %si
        mov     drive, %dl
        xor     %al, %al        # write without verify
        int     $0x13
        ret

# number: %eax in decimal.
number:
        mov     $10, %ecx
        xor     %bx, %bx
1:      xor     %edx, %edx
        div     %ecx
        push    %dx
        inc     %bx
        test    %eax, %eax
        jnz     1b
2:      pop     %ax
        add     $'0', %al
        call    putc
        dec     %bx
        jnz     2b
        ret

print:
        lodsb
        test    %al, %al
        jz      1f
        call    putc
        jmp     print
1:      ret

putc:
        mov     %al, %ah
        mov     $COM2 + 5, %dx
1:      in      %dx, %al
        test    $0x20, %al      # room in the transmitter
        jz      1b
        mov     $COM2, %dx
        mov     %ah, %al
        out     %al, %dx
        ret

drive:   .byte  0
hello:   .asciz "\r\nGUEST "
boot:    .asciz " boot "
cannot:  .asciz "\r\nGUEST cannot start"
lost:    .asciz "\r\nGUEST disk lost\r\n"
back:    .asciz "\r\nGUEST disk back\r\n"
newline: .asciz "\r\n"
        .balign 4
packet:  .byte  16, 0           # disk address packet of INT 13h/42h
        .word   1, 0, 0
        .quad   0
        .org    446             # no partitions: iPXE takes the geometry from them
        .org    510
        .word   0xaa55
