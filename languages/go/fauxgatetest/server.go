package fauxgatetest

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// A server is a running fauxgate serve.
type server struct {
	url     string
	client  *http.Client
	command *exec.Cmd
	// lifeline ends the server when it closes, as it does when this process ends in any way.
	lifeline io.Closer
	output   *os.File
}

// endWithInput makes Node end when its standard input does. This works where signals do not: npx forwards none, and a
// killed process sends none.
const endWithInput = `--import=data:text/javascript,process.stdin.on('end',()=>process.kill(process.pid,'SIGTERM')).resume()`

const toInstall = `install Node.js 20.19 or newer, and the npm package fauxgate ` + Version + ` in the folder of go.mod`

// wrongUsage is the exit code of fauxgate for options that it does not take.
const wrongUsage = 2

var listening = regexp.MustCompile(`listens on (https?://\S+)`)

func start(options []string) (*server, error) {
	words, err := findCommand()
	if err != nil {
		return nil, err
	}
	words = append(words, "serve", "--port", "0", "--quiet")
	command := exec.Command(words[0], append(words[1:], options...)...)
	// The server takes variables as defaults, so that options can replace them.
	command.Env = append(os.Environ(), "FAUXGATE_DIALECT=ngrok", "FAUXGATE_CLOCK=manual", "FAUXGATE_START=2026-01-01T00:00:00Z",
		"NODE_OPTIONS="+strings.TrimSpace(os.Getenv("NODE_OPTIONS")+" "+endWithInput))
	command.Stderr = os.Stderr
	lifeline, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, input, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	command.Stdout = input
	err = command.Start()
	_ = input.Close()
	if err != nil {
		return nil, fmt.Errorf("fauxgate did not start (%w): %s", err, toInstall)
	}
	// A quiet server prints one line, so nobody reads the later output. If the pipe closed, the server would fail.
	s := &server{command: command, lifeline: lifeline, output: output}
	if s.readAddress() {
		return s, nil
	}
	s.stop()
	remedy := toInstall
	if command.ProcessState.ExitCode() == wrongUsage {
		remedy = fmt.Sprintf("correct the options %q", options)
	}
	return nil, fmt.Errorf("fauxgate did not start (%v, with its message in the output): %s", command.ProcessState, remedy)
}

// findCommand returns the command that runs fauxgate: that of FAUXGATE, that of node_modules in the working folder or above
// it, or one that npx finds: it downloads none, because another package could have the name.
func findCommand() ([]string, error) {
	if words := strings.Fields(os.Getenv("FAUXGATE")); len(words) > 0 {
		return words, nil
	}
	folder, _ := os.Getwd()
	for above := filepath.Dir(folder); ; folder, above = above, filepath.Dir(above) {
		script := filepath.Join(folder, "node_modules", "fauxgate", "dist", "cli.js")
		if _, err := os.Stat(script); err == nil {
			return []string{"node", script}, nil
		}
		if folder == above {
			break
		}
	}
	if _, err := exec.LookPath("npx"); err != nil {
		return nil, errors.New("there is no fauxgate for this test: " + toInstall)
	}
	return []string{"npx", "--no", "fauxgate@" + Version}, nil
}

// readAddress reads the URL that the server prints, and after a URL with https the root certificate. Returns false if the
// output ends before.
func (s *server) readAddress() bool {
	// Pipes of Windows have no deadlines: the limit of go test holds.
	_ = s.output.SetReadDeadline(time.Now().Add(2 * time.Minute))
	root := ""
	for lines := bufio.NewScanner(s.output); lines.Scan(); {
		if found := listening.FindStringSubmatch(lines.Text()); found != nil {
			s.url = found[1]
		}
		root += lines.Text() + "\n"
		if strings.HasPrefix(s.url, "http:") || lines.Text() == "-----END CERTIFICATE-----" {
			s.client = newClient(root)
			return true
		}
	}
	return false
}

func (s *server) stop() {
	_ = s.lifeline.Close()
	defer time.AfterFunc(5*time.Second, func() { _ = s.command.Process.Kill() }).Stop()
	_ = s.command.Wait()
	_ = s.output.Close()
}

// newClient returns a client that trusts a root certificate. It uses no proxy, because a gateway is usually on this machine.
func newClient(root string) *http.Client {
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	roots.AppendCertsFromPEM([]byte(root))
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
}
