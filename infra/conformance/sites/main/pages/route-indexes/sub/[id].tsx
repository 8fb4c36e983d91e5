export default function Page() {
  return <h1>One of sub</h1>
}
