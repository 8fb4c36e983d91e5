export default function Kept() {
  return <h1>All that is kept</h1>
}
