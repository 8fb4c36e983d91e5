export const getStaticProps = () => ({ props: {} })

export default function NoSuchShelf() {
  return <p>No such shelf</p>
}
