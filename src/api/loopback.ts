const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/;

/** Whether a host, an IPv6 address without its brackets, is this machine: nobody else reads what goes there. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}
