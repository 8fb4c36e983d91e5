export default function Page() {
  return <h1>Index of index</h1>
}
