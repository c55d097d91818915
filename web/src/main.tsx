// Nothing but this, so that all code is in the one file that both pages share.
import './start'
