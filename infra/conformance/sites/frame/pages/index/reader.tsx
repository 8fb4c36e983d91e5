export default function Page() {
  return <h1>Reader of index</h1>
}
