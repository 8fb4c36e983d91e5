export default function NoSuchShelf() {
  return <p>No such shelf</p>
}
