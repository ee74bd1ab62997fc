package fauxgatetest

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

// A server is a running fauxgate serve.
type server struct {
	url string
	// root is the root certificate of a server with https, as PEM.
	root   string
	client *http.Client
	// defaults are the options of each gateway.
	defaults Options
	command  *exec.Cmd
	// ended is closed once the process has ended.
	ended chan struct{}
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

var shared struct {
	sync.Mutex
	*server
}

// connect returns the server of this process. The first call connects to that of FAUXGATE_URL, or starts one. A server that has
// ended is started again.
func connect() (s *server, err error) {
	shared.Lock()
	defer shared.Unlock()
	if shared.server != nil && shared.isRunning() {
		return shared.server, nil
	}
	if address := strings.TrimRight(os.Getenv("FAUXGATE_URL"), "/"); address != "" {
		s, err = use(address)
	} else {
		s, err = start()
	}
	if err != nil {
		return nil, err
	}
	shared.server = s
	bypassProxy(s.url)
	return s, nil
}

func (s *server) isRunning() bool {
	select {
	case <-s.ended:
		return false
	default:
		return true
	}
}

// use returns a server that somebody else has started, with any options.
func use(address string) (*server, error) {
	root, err := []byte{}, error(nil)
	if file := os.Getenv("FAUXGATE_CA"); file != "" {
		root, err = os.ReadFile(file)
	}
	defaults := Options{Dialect: "ngrok", Clock: "manual", Start: fixtureStart, Seed: "fauxgate"}
	return &server{url: address, root: string(root), client: newClient(string(root)), defaults: defaults}, err
}

// bypassProxy lets the clients of this process reach a server directly, whatever proxy the environment sets.
func bypassProxy(address string) {
	place, err := url.Parse(address)
	if err != nil {
		return
	}
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		_ = os.Setenv(name, strings.Trim(os.Getenv(name)+","+place.Hostname(), ","))
	}
}

var fixtureStart = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

var listening = regexp.MustCompile(`listens on .*?(https?://\S+)`)

func start() (*server, error) {
	words, err := findCommand()
	if err != nil {
		return nil, err
	}
	words = append(words, "serve", "--port", "0", "--quiet")
	command := exec.Command(words[0], words[1:]...)
	command.Env = environment()
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
	remedy := toInstall
	if os.Getenv("FAUXGATE") != "" {
		remedy = "check the variable FAUXGATE"
	}
	if err != nil {
		return nil, fmt.Errorf("fauxgate did not start (%w): %s", err, remedy)
	}
	s := &server{command: command, lifeline: lifeline, output: output, ended: make(chan struct{})}
	if s.readAddress() {
		go s.waitForEnd()
		return s, nil
	}
	s.stop()
	if command.ProcessState.ExitCode() == wrongUsage {
		remedy = "correct the variables FAUXGATE_… that the message names"
	}
	return nil, fmt.Errorf("fauxgate did not start (%v, with its message in the output): %s", command.ProcessState, remedy)
}

// environment returns the variables of the server, which takes its options from them. Those of the caller come first.
func environment() []string {
	node := "NODE_OPTIONS=" + strings.TrimSpace(os.Getenv("NODE_OPTIONS")+" "+endWithInput)
	defaults := []string{"FAUXGATE_DIALECT=ngrok", "FAUXGATE_CLOCK=manual", "FAUXGATE_SEED=fauxgate",
		// Without a network, npm would try for more than a minute.
		"npm_config_fetch_retries=1", "npm_config_fetch_retry_mintimeout=500", "npm_config_fetch_retry_maxtimeout=1000"}
	if os.Getenv("FAUXGATE_CLOCK") != "system" {
		defaults = append(defaults, "FAUXGATE_START="+fixtureStart.Format(time.RFC3339))
	}
	return append(append(defaults, os.Environ()...), node)
}

// waitForEnd reads what the server still prints, so that its pipe never fills, and notes its end.
func (s *server) waitForEnd() {
	_, _ = io.Copy(io.Discard, s.output)
	_ = s.command.Wait()
	close(s.ended)
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
	return []string{"npx", "--no", "--", "fauxgate@" + Version}, nil
}

// readAddress reads the URL that the server prints, and after a URL with https the root certificate. Returns false if the
// output ends before.
func (s *server) readAddress() bool {
	// Pipes of Windows have no deadlines: the limit of go test holds.
	_ = s.output.SetReadDeadline(time.Now().Add(2 * time.Minute))
	for lines := bufio.NewScanner(s.output); lines.Scan(); {
		if found := listening.FindStringSubmatch(lines.Text()); found != nil {
			s.url = found[1]
		}
		if s.root != "" || strings.Contains(lines.Text(), "BEGIN CERTIFICATE") {
			s.root += lines.Text() + "\n"
		}
		if strings.HasPrefix(s.url, "http:") || lines.Text() == "-----END CERTIFICATE-----" {
			s.client = newClient(s.root)
			_ = s.output.SetReadDeadline(time.Time{})
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
