export default function Page() {
  return <h1>All of sub</h1>
}
