// Response headers for shared caches.

/** Headers for a shared cache alone, which override Cache-Control there (RFC 9213 section 2.2; nginx; Akamai). */
const FOR_SHARED_CACHES = /(^|-)(cdn-cache-control|surrogate-control)$|^(x-accel-expires|edge-control)$/

/** `name` in lower case. */
export function isForSharedCaches(name: string): boolean {
  return FOR_SHARED_CACHES.test(name)
}
