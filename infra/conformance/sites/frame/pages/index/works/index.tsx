export default function Page() {
  return <h1>Works of index</h1>
}
