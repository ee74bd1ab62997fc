import com.github.alexdlaird.exception.JavaNgrokHTTPException;
import com.github.alexdlaird.ngrok.NgrokClient;
import com.github.alexdlaird.ngrok.agent.NgrokAgent;
import com.github.alexdlaird.ngrok.conf.JavaNgrokConfig;
import com.github.alexdlaird.ngrok.protocol.BindTls;
import com.github.alexdlaird.ngrok.protocol.CreateTunnel;
import com.github.alexdlaird.ngrok.protocol.Proto;
import com.github.alexdlaird.ngrok.protocol.Tunnel;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;

/** Calls what java-ngrok has for the agent. */
public class JavaNgrok {
    static void visit(String url) throws Exception {
        URI control = URI.create(System.getenv("FAUXGATE_URL") + "/_fauxgate/traffic");
        HttpRequest.BodyPublisher body = HttpRequest.BodyPublishers.ofString("{\"url\":\"" + url + "\"}");
        HttpRequest request = HttpRequest.newBuilder(control).header("content-type", "application/json").POST(body).build();
        expect(HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).statusCode(), 200);
    }

    static void expect(Object received, Object expected) {
        if (!expected.equals(received)) throw new AssertionError(received + " is not " + expected);
    }

    public static void main(String[] args) throws Exception {
        Path program = Path.of(System.getenv("NGROK"));
        JavaNgrokConfig config = new JavaNgrokConfig.Builder().withNgrokPath(program).withConfigPath(Path.of("java.yml").toAbsolutePath()).build();
        NgrokClient client = new NgrokClient.Builder().withJavaNgrokConfig(config).build();
        client.setAuthToken("any");
        client.setApiKey("any");
        expect(client.getVersion().getNgrokVersion(), "3.39.0");

        Tunnel web = client.connect(new CreateTunnel.Builder().withAddr(8000).withMetadata("m").build());
        expect(web.getProto() + " " + web.getConfig().getAddr(), "https http://localhost:8000");
        expect(client.connect(new CreateTunnel.Builder().withProto(Proto.TCP).withAddr(22).build()).getProto(), "tcp");
        client.connect(new CreateTunnel.Builder().withBindTls(BindTls.BOTH).withAuth("bob:long-password").build());
        expect(client.getTunnels().size(), 4);
        try {
            client.connect(new CreateTunnel.Builder().withName(web.getName()).build());
            throw new AssertionError("the name was not taken");
        } catch (JavaNgrokHTTPException error) {
            expect(error.getStatusCode() + " " + error.getBody().contains("already exists"), "400 true");
        }

        visit(web.getPublicUrl() + "/hook");
        client.refreshMetrics(web);
        expect(web.getMetrics().get("http").getCount(), 1);
        NgrokAgent agent = new NgrokAgent(client.getNgrokProcess(), client.getHttpClient());
        String id = agent.getRequests(web.getName()).getBody().getRequests().get(0).getId();
        expect(agent.getRequest(id).getBody().getRequest().getUri(), "/hook");
        agent.replayRequest(id);
        expect(agent.getRequests().getBody().getRequests().size(), 2);
        agent.deleteRequests();
        expect(agent.getAgentStatus().getBody().getStatus(), "online");

        for (Tunnel each : client.getTunnels()) client.disconnect(each.getPublicUrl());
        expect(client.getTunnels().size(), 0);
        client.kill();
    }
}
