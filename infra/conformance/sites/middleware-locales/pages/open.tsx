export default function Open() {
  return <main>open</main>
}
