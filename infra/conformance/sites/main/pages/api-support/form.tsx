export const getServerSideProps = () => ({ props: {} })

export default function Form() {
  return <h1>A form</h1>
}
