export const getStaticProps = () => ({ props: {}, revalidate: 1 })

export default function NoSuchShelf() {
  return <p>No such shelf</p>
}
