// Report page: to come.
import '../style/common.css';
