export default function Page() {
  return <h1>Nested index</h1>
}
