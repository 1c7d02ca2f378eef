// The system calls that an isolated program does without, as a filter that the kernel runs at each call (seccomp(2), cBPF).

/** The calls, by their numbers; nothing on a machine whose numbers are not known here. */
const machines: Readonly<Record<string, Machine>> = {
  x64: {
    arch: 0xc000003e,
    clone: 56,
    ioctl: 16,
    // In the order of `arm64`.
    refused: [
      101, 310, 311, 165, 166, 155, 161, 308, 272, 250, 248, 249, 321, 298, 323, 246, 320, 175, 313, 176, 304, 167, 168,
      169, 163, 179, 103,
    ],
  },
  arm64: {
    arch: 0xc00000b7,
    clone: 220,
    ioctl: 29,
    // ptrace, process_vm_readv, process_vm_writev, mount, umount2, pivot_root, chroot, setns, unshare, keyctl, add_key, request_key, bpf,
    // perf_event_open, userfaultfd, kexec_load, kexec_file_load, init_module, finit_module, delete_module, open_by_handle_at, swapon, swapoff,
    // reboot, acct, quotactl, syslog
    refused: [
      117, 270, 271, 40, 39, 41, 51, 268, 97, 219, 217, 218, 280, 241, 282, 104, 294, 105, 273, 106, 265, 224, 225, 142,
      89, 60, 116,
    ],
  },
};

interface Machine {
  /** AUDIT_ARCH of linux/audit.h. */
  readonly arch: number;
  readonly clone: number;
  readonly ioctl: number;
  readonly refused: readonly number[];
}

/** Those that have the same number everywhere: io_uring_*, open_tree to fspick, pidfd_getfd, mount_setattr. */
const refusedEverywhere = [425, 426, 427, 428, 429, 430, 431, 432, 433, 438, 442];
const clone3 = 435;

// linux/bpf_common.h and linux/seccomp.h
const [load, jumpIfEqual, jumpIfAtLeast, jumpIfAny, answer] = [0x20, 0x15, 0x35, 0x45, 0x06];
const allow = 0x7fff0000;
const refuse = (code: number) => 0x00050000 | code;
const [notPermitted, unknown] = [1, 38];
/** Offsets in seccomp_data: the number, the machine, and the lower halves of the first two arguments. */
const [atNumber, atArch, atFirst, atSecond] = [0, 4, 16, 24];
/** Calls of the x32 kind begin here. */
const x32 = 0x40000000;
const newUserNamespace = 0x10000000;
/** They type into the terminal that a program was started from (TIOCSTI, TIOCLINUX). */
const typing = [0x5412, 0x541c];

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/** The filter for a machine (`process.arch`); nothing where it is not known. */
export function seccompFilter(machine: string): Uint8Array | undefined {
  const known = machines[machine];
  return known && encoded(programFor(known));
}

function programFor({ arch, clone, ioctl, refused }: Machine): Instruction[] {
  const no: Instruction = [answer, 0, 0, refuse(notPermitted)];
  const refuseIf = (value: number): Instruction[] => [[jumpIfEqual, 0, 1, value], no];
  return [
    [load, 0, 0, atArch],
    [jumpIfEqual, 1, 0, arch],
    no,
    [load, 0, 0, atNumber],
    [jumpIfAtLeast, 0, 1, x32],
    [answer, 0, 0, refuse(unknown)],
    ...[...refused, ...refusedEverywhere].flatMap(refuseIf),
    // The C library falls back to clone, whose flags can be seen.
    [jumpIfEqual, 0, 1, clone3],
    [answer, 0, 0, refuse(unknown)],
    [jumpIfEqual, 0, 3, clone],
    [load, 0, 0, atFirst],
    [jumpIfAny, 0, 3 + 2 * typing.length, newUserNamespace],
    no,
    [jumpIfEqual, 0, 1 + 2 * typing.length, ioctl],
    [load, 0, 0, atSecond],
    ...typing.flatMap(refuseIf),
    [answer, 0, 0, allow],
  ];
}

function encoded(program: readonly Instruction[]): Uint8Array {
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(([code, ifTrue, ifFalse, value], index) => {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  });
  return bytes;
}
