export default function Page() {
  return <h1>First</h1>
}
