// A page of no content, for tests that load one.

export default function Page(): null {
  return null
}
