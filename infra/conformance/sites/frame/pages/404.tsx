export default function Nowhere() {
  return <h1>404 Nowhere</h1>
}
