export default function Exports() {
  return <code>module.exports</code>
}
