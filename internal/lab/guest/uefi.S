# UEFI application of a guest disk, \EFI\BOOT\BOOTX64.EFI. It tells on COM2
# (COM1 carries the screen) which disk it came from:
#
#   GUEST <text>
#
# The text is put over the place marked GUEST-TEXT when the disk is made. All
# addresses are relative, so that no relocation is needed.

.text
.set COM2, 0x2f8

.globl efi_main
efi_main:
        cld
        mov     $COM2 + 3, %dx  # eight bits, no parity
        mov     $3, %al
        out     %al, %dx
        lea     hello(%rip), %rsi
next:
        lodsb
        test    %al, %al
        jz      done
        mov     %al, %ah
        mov     $COM2 + 5, %dx
1:      in      %dx, %al
        test    $0x20, %al      # room in the transmitter
        jz      1b
        mov     $COM2, %dx
        mov     %ah, %al
        out     %al, %dx
        jmp     next
done:
        pause                   # the firmware's watchdog ends it after 5 minutes
        jmp     done

hello:  .ascii  "\r\nGUEST "
text:   .ascii  "GUEST-TEXT"
        .zero   54
        .byte   0
