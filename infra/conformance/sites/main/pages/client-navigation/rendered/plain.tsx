export default function Plain() {
  return <h1>A component without state</h1>
}
