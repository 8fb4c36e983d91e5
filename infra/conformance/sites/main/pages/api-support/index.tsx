/** A path that begins with `/api`, and is none below it. */
export default function Support() {
  return <h1>Not a handler</h1>
}
