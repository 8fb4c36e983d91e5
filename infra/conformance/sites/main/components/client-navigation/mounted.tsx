import { Component } from 'react'

/** Says whether the browser has mounted it. */
export class Mounted extends Component {
  state = { isMounted: false }

  componentDidMount() {
    this.setState({ isMounted: true })
  }

  render() {
    return <p id="mounted">{this.state.isMounted ? 'in the browser' : 'on the server'}</p>
  }
}
