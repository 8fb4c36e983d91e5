import { Component, type ReactNode } from 'react'

/** Around every page, with state of its own. */
export class Fence extends Component<{ children?: ReactNode }, { plank?: string }> {
  override state: { plank?: string } = {}

  override componentDidMount() {
    this.setState({ plank: Math.random().toString(36) })
  }

  override render() {
    return (
      <section>
        <h2 id="gate">Garden gate</h2>
        <i id="plank">{this.state.plank}</i>
        {this.props.children}
      </section>
    )
  }
}
