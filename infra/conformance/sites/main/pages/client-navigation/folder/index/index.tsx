export default function Index() {
  return <h1>A folder with the name index</h1>
}
